"""The process of a generator's task: `python -m loadtest.fleet.generator_task master|worker …`.

A master shares users out among its workers, prints how far it is (a line of JSON a second), and
puts the result at the given address. A worker sends requests.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from loadtest.fleet.locust_command import locust_command, run_locust
from loadtest.fleet.task_spec import TaskSpec
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.errors import translate_errors
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.errors import VitrineError

_TIMEOUT_SECONDS = 60
_UNUSABLE = 2


def main(words: Sequence[str] | None = None) -> int:
    """Run the generator; return 0 if it came to its end or was stopped in an orderly way."""
    arguments = _make_parser().parse_args(words)
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        try:
            test, images = _fetch_spec(arguments.brief).unpack(Path(folder))
            command = locust_command(test, images)
            if arguments.role == "worker":
                return _run_worker(command, arguments)
            result = _run_master(command, arguments, Path(folder))
            # Where it cannot be put, the log still has it.
            _print_entry({"line": "result"} | result)
            _upload_result(result, arguments.results)
        except (VitrineError, OSError) as error:
            print(f"vitrine-loadtest: {error}", file=sys.stderr)
            return _UNUSABLE
    return 0


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="loadtest.fleet.generator_task")
    parser.add_argument("role", choices=("master", "worker"))
    parser.add_argument("--brief", required=True, help="address of what to do")
    parser.add_argument("--port", type=int, required=True, help="between master and workers")
    parser.add_argument("--master", default="", help="address of a worker's master")
    parser.add_argument("--workers", type=int, default=1, help="that a master waits for")
    parser.add_argument("--results", default="", help="s3://bucket/key of the result")
    return parser


def _fetch_spec(address: str) -> TaskSpec:
    with urllib.request.urlopen(address, timeout=_TIMEOUT_SECONDS) as response:
        return TaskSpec.from_json(response.read().decode())


def _run_worker(command: list[str], arguments: argparse.Namespace) -> int:
    channel = ["--worker", "--master-host", arguments.master]
    channel += ["--master-port", str(arguments.port)]
    return subprocess.run([*command, *channel], cwd=REPOSITORY, check=False).returncode


def _run_master(command: list[str], arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    # ECS ends a task with SIGTERM: then, too, what was measured is summed up.
    signal.signal(signal.SIGTERM, _raise_interrupt)
    channel = ["--master", "--expect-workers", str(arguments.workers)]
    channel += ["--master-bind-port", str(arguments.port)]
    return run_locust([*command, *channel], folder, _print_entry) | {
        "generators": arguments.workers
    }


def _raise_interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _print_entry(entry: dict[str, Any]) -> None:
    print(json.dumps(entry), flush=True)


def _upload_result(result: dict[str, Any], place: str) -> None:
    bucket, _, key = place.removeprefix("s3://").partition("/")
    body = json.dumps(result).encode()
    with translate_errors(place):
        AwsAccess().client("s3").put_object(
            Bucket=bucket, Key=key, Body=body, ContentType="application/json"
        )


if __name__ == "__main__":
    sys.exit(main())
