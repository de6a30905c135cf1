"""The conversion and nothing else, file to file: `python -m …bare_conversion MASTER`.

Prints CPU seconds and wall seconds as JSON, the imports not counted. The same call as in the
Lambda, with one more before it to warm up.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from vitrine.ingest.convert.access_master import to_file
from vitrine.ingest.convert.conversion import convert
from vitrine.ingest.inspect.header import Header, read_header
from vitrine.ingest.inspect.limits import Limits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format
from vitrine.ingest.recipe import STANDARD

_LIMITS = Limits(pixels=100_000_000, bytes=1 << 30)


def bare_conversion(master: Path) -> dict[str, float]:
    """`cpu_seconds` and `wall_seconds` of converting `master` in a process of its own."""
    command = [sys.executable, "-m", __name__, str(master)]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, Any] = json.loads(result.stdout)
    return figures


def _convert(master: Path, header: Header) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        convert(master, header, STANDARD, Path(scratch), to_file(Path(scratch) / "access.tif"))


def main() -> None:
    """Convert twice, measure the second."""
    master = Path(sys.argv[1])
    with LocalFile(master) as file:
        header = read_header(file, detect_format(file.read_at(0, PREFIX_BYTES)), _LIMITS)
    _convert(master, header)
    cpu, wall = time.process_time(), time.monotonic()
    _convert(master, header)
    print(
        json.dumps(
            {
                "cpu_seconds": round(time.process_time() - cpu, 3),
                "wall_seconds": round(time.monotonic() - wall, 3),
            }
        )
    )


if __name__ == "__main__":
    main()
