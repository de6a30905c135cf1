"""Fuzz the API by its own document, with schemathesis.

`python -m tests.fuzz.api_fuzz --examples 50` serves it over ports in memory; with `--address` it is
another server, whose requests are signed as the emulator wants it. Ends with 1 when something was
found.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

from tests.unit.api.api_bench import ApiBench, letter
from tests.unit.api.api_server import serve

REPOSITORY = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).with_name("schemathesis")
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_schema_conformance", "response_headers_conformance", "missing_required_header"),
    *("unsupported_method", "allow_header_conformance"),
)
HOOKS = "tests.fuzz.api_hooks"


def fuzz(
    examples: int,
    *,
    address: str = "",
    phases: str = "examples,coverage,fuzzing,stateful",
    seed: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run schemathesis with up to `examples` examples of each operation; its output says all."""
    bench = ApiBench("one", "two")
    bench.ask("PUT", "/objects/letter", letter(), if_none_match="*")
    server = nullcontext(address) if address else serve(bench.services)
    with server as place, tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [
                *(str(PROGRAM), "run", f"{place}/openapi.json", "--url", place),
                *("--max-examples", str(examples), "--phases", phases),
                *("--checks", ",".join(CHECKS), "--max-redirects", "0", "--no-color"),
                *(("--seed", seed) if seed else ()),
                *("--warnings", "off", "--suppress-health-check", "all"),
            ],
            cwd=folder,  # where it keeps what it has learnt
            env=os.environ
            | {"PYTHONPATH": str(REPOSITORY)}
            | ({"SCHEMATHESIS_HOOKS": HOOKS} if address else {}),
            capture_output=True,
            text=True,
        )


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--address", default="")
    options = parser.parse_args()
    done = fuzz(options.examples, address=options.address)
    print(done.stdout + done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
