"""Rounds of both generators, in turns, against a server that has every answer ready."""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.client.user_load import Progress, ask_as_users, fingerprint
from loadtest.figures.request_figures import Row, failed
from loadtest.fleet.locust_command import LoadTest, run_load_test
from loadtest.rigs.pinning import Pinning, pinned
from loadtest.studies.generator.null_server import HEIGHT, WIDTH
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.scenario import read_scenario
from vitrine.errors import InvalidScenario, VitrineError

GENERATORS = {
    "bench": "what `vitrine-loadtest study` asks with, one process on uvloop",
    "locust": "what vitrine-loadtest run asks with, one process of Locust",
}
GOAL = 3_000
"""Requests a second and core."""
_IMAGES = [Image(f"null-{number}", WIDTH, HEIGHT) for number in range(8)]
_SCENARIO = """
seed = {seed}
connections = 1
[model]
kind = "viewer-session"
think_seconds = 0.0
"""
"""Tiles, and now and then image information: what most of a load is."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """How long which generators are measured."""

    generators: Sequence[str] = tuple(GENERATORS)
    users: int = 10
    seconds: float = 10.0
    rounds: int = 5
    seed: int = 2019


def measure(study: Study, watch: Callable[[str], Progress]) -> dict[str, Any]:
    """Figures, JSON-ready; `complete` is False after Ctrl-C, and what was measured is kept.

    Raises InvalidScenario for a generator that there is not, VitrineError when one does not run.
    """
    if not study.generators:
        raise InvalidScenario(f"--generators: name at least one of {', '.join(GENERATORS)}")
    for name in study.generators:
        if name not in GENERATORS:
            raise InvalidScenario(f"--generators {name!r}: there are {', '.join(GENERATORS)}")
    rows: list[Row] = []
    complete = True
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vitrine-")))
        scenario = folder / "scenario.toml"
        scenario.write_text(_SCENARIO.format(seed=study.seed))
        pinning = stack.enter_context(pinned())
        pinning.start_servers()
        url = stack.enter_context(_null_server())
        pinning.start_generator()
        try:
            complete = _rounds(study, url, scenario, rows, watch)
        except KeyboardInterrupt:
            complete = False
    return _figures(study, rows, complete, pinning)


def _rounds(
    study: Study, url: str, scenario: Path, rows: list[Row], watch: Callable[[str], Progress]
) -> bool:
    for number in range(1, study.rounds + 1):
        first = number % len(study.generators)
        for name in (*study.generators[first:], *study.generators[:first]):
            progress = watch(f"{name}, round {number} of {study.rounds}")
            ask = _bench if name == "bench" else _locust
            row = ask(study, url, scenario, progress)
            rows.append({"generator": name, "round": number, **row})
            if not row["complete"]:
                return False
    return True


def _bench(study: Study, url: str, scenario: Path, progress: Progress) -> Row:
    workload = read_scenario(scenario).workload(Catalogue.of(_IMAGES))
    load = ask_as_users(url, workload, study.users, seconds=study.seconds, progress=progress)
    faults = failed(load.answers)
    cpu = load.generator * load.seconds
    failures = sum(1 for answer in load.answers if answer.fault)
    counts = {"failures": failures, "failed": faults, "complete": load.complete}
    return _row(len(load.answers), load.seconds, cpu) | counts


def _locust(study: Study, url: str, scenario: Path, progress: Progress) -> Row:
    """All that Locust takes, its start included, which is why rounds must not be short."""
    test = LoadTest(
        scenario=scenario,
        url=url,
        images=_IMAGES,
        users=(study.users,),
        seconds=study.seconds,
        seed=study.seed,
    )
    result = run_load_test(test, lambda entry: progress(entry["requests"], entry["failures"]))
    asked, cpu = result["requests"], result["generator_cpu_seconds"]
    rate = sum(row["requests_per_second"] for row in result["rows"])
    row = _row(asked, asked / rate if rate else 0.0, cpu)
    told = {"failures": result["failures"], "failed": result["failed"][:5]}
    return row | told | {"complete": result["complete"]}


def _row(requests: int, seconds: float, cpu: float) -> Row:
    """`requests_per_core_second` is what the generator sustains for each second of CPU time."""
    return {
        "requests": requests,
        "seconds": round(seconds, 3),
        "requests_per_second": round(requests / seconds, 1) if seconds else 0.0,
        "generator_cores": round(cpu / seconds, 3) if seconds else 0.0,
        "cpu_ms_per_request": round(1_000 * cpu / requests, 4) if requests else None,
        "requests_per_core_second": round(requests / cpu, 1) if cpu else None,
    }


@contextmanager
def _null_server() -> Iterator[str]:
    command = [sys.executable, "-m", "loadtest.studies.generator.null_server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            port = process.stdout.readline().strip()
            if not port:
                raise VitrineError("the null server did not start")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _figures(study: Study, rows: list[Row], complete: bool, pinning: Pinning) -> dict[str, Any]:
    keys = (
        *("requests_per_second", "generator_cores", "cpu_ms_per_request"),
        "requests_per_core_second",
    )
    medians = []
    for name in study.generators:
        group = [row for row in rows if row["generator"] == name]
        whole = [row for row in group if row["complete"]] or group
        if whole:
            medians.append(
                {
                    "generator": name,
                    "rounds": len(whole),
                    "requests": sum(row["requests"] for row in whole),
                    "failures": sum(row["failures"] for row in whole),
                    **{key: _median([row[key] for row in whole]) for key in keys},
                }
            )
    workload = _workload(study)
    return {
        "complete": complete,
        "goal": GOAL,
        "scenario": {
            "model": "viewer-session",
            "users": study.users,
            "seconds": study.seconds,
            "rounds": study.rounds,
            "seed": study.seed,
        },
        "generators": {name: GENERATORS[name] for name in study.generators},
        "pinned": {"server_core": pinning.server, "generator_core": pinning.generator},
        "requests_sha256": workload,
        "rounds": rows,
        "medians": medians,
    }


def _workload(study: Study) -> str:
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        scenario = Path(folder, "scenario.toml")
        scenario.write_text(_SCENARIO.format(seed=study.seed))
        return fingerprint(read_scenario(scenario).workload(Catalogue.of(_IMAGES)), study.users)


def _median(values: Sequence[Any]) -> float | None:
    numbers = [value for value in values if value is not None]
    return round(statistics.median(numbers), 4) if numbers else None
