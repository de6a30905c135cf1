"""What the settings of memory save in the photo door's Lambda: CPU time and page faults.

    python -m tests.benchmarks.photo_function [--rounds 5]

Photographs of 3.4 to 4.1 MB, which a request to a Lambda can hold, as events of an HTTP API: the
handler's whole work, its answers in parts, over stores in memory. A round is a new process with the
variables of the deployed function and one without, in turn; the first photographs of each process
warm it up and do not count. Medians of the rounds.
"""

import argparse
import base64
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from lambdas.answer_photo import handler as step
from loadtest.corpora.camera_photographs import make_samples
from loadtest.figures.order_statistics import median
from stacks.constructs.photo_function import DECODING
from tests.unit.lambdas.lambda_functions import Context
from tests.unit.photos.photo_bench import PhotoBench

BOUNDS = (3_400_000, 4_100_000)
WARMING, PHOTOGRAPHS = 4, 20


def measure(paths: list[str]) -> dict[str, float]:
    """Return what one photograph takes in this process: milliseconds and page faults."""
    with tempfile.TemporaryDirectory() as folder:
        bench = PhotoBench(Path(folder), most_pixels=120_000_000, most_memory_bytes=1 << 30)
        step.function_services = lambda: bench.services
        token = bench.token(photos_per_hour=1_000_000)
        for number in range(WARMING + PHOTOGRAPHS):
            if number == WARMING:
                before = resource.getrusage(resource.RUSAGE_SELF)
            answer = step.handler(_event(Path(paths[number % len(paths)]), token), Context())
            assert answer["statusCode"] == 200, answer
        after = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "user ms": 1_000 * (after.ru_utime - before.ru_utime) / PHOTOGRAPHS,
        "system ms": 1_000 * (after.ru_stime - before.ru_stime) / PHOTOGRAPHS,
        "page faults": (after.ru_minflt - before.ru_minflt) / PHOTOGRAPHS,
        "peak MiB": after.ru_maxrss / 1024,
    }


def _event(path: Path, token: str) -> dict[str, object]:
    return {
        "rawPath": "/photos",
        "rawQueryString": "store=no&thumbnails=medium",
        "headers": {"authorization": f"Bearer {token}", "content-type": "image/jpeg"},
        "requestContext": {"http": {"method": "POST", "path": "/photos"}},
        "isBase64Encoded": True,
        "body": base64.b64encode(path.read_bytes()).decode(),
    }


def main() -> None:
    """Print the medians, then every round as JSON."""
    parser = argparse.ArgumentParser(description="Measure the photo door's Lambda.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--photographs", nargs="*", help="Measure these in this process.")
    given = parser.parse_args()
    if given.photographs:
        print(json.dumps(measure(given.photographs)))
        return
    with tempfile.TemporaryDirectory() as folder:
        paths = [one.path for one in make_samples(Path(folder), print, BOUNDS)]
        rounds = [
            (name, _run(paths, variables))
            for _ in range(given.rounds)
            for name, variables in (("with", DECODING), ("without", {}))
        ]
    for name in ("with", "without"):
        mine = [found for one, found in rounds if one == name]
        medians = {key: median([found[key] for found in mine]) for key in mine[0]}
        print(name, {key: round(value, 1) for key, value in medians.items()})
    print(json.dumps(rounds))


def _run(paths: list[str], variables: dict[str, str]) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks.photo_function", "--photographs", *paths]
    plain = {name: value for name, value in os.environ.items() if name not in DECODING}
    plain |= {"POWERTOOLS_LOG_LEVEL": "CRITICAL", "POWERTOOLS_METRICS_DISABLED": "true"}
    done = subprocess.run(
        command, env=plain | variables, check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
