"""Rounds of both generators, in turns, against a server that has every answer ready."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.client.user_load import Progress, fingerprint, send_as_users
from loadtest.errors import InvalidScenario
from loadtest.figures.order_statistics import rounded_median
from loadtest.figures.request_figures import Row, count_faults
from loadtest.figures.round_medians import complete_rows
from loadtest.fleet.locust_command import LoadTest, run_load_test
from loadtest.rigs.pinning import pinned
from loadtest.studies.generator.null_server import HEIGHT, WIDTH
from loadtest.studies.interleaved_rounds import StudyRun, Watch, keep, turns
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.scenario import read_scenario
from vitrine.errors import VitrineError

GENERATORS = {
    "bench": "the client of `vitrine-loadtest study`, one process on uvloop",
    "locust": "the client of `vitrine-loadtest run`, one process of Locust",
}
GOAL = 3_000
"""Requests per second and core that a generator must sustain."""
_IMAGES = [Image(f"null-{number}", WIDTH, HEIGHT) for number in range(8)]
_SCENARIO = """
seed = {seed}
connections = 1
[model]
kind = "viewer-session"
think_seconds = 0.0
"""
"""Tiles and a little image information: most of any load."""


@dataclass(frozen=True, kw_only=True)
class GeneratorStudy:
    """The generators to measure, and how long."""

    generators: Sequence[str] = tuple(GENERATORS)
    users: int = 10
    seconds: float = 10.0
    rounds: int = 5
    seed: int = 2019


def measure_generators(study: GeneratorStudy, watch: Watch) -> dict[str, Any]:
    """Return figures, JSON-ready; `complete` is False after Ctrl-C, and what was measured is kept.

    Raises InvalidScenario for an unknown generator, VitrineError when one does not run.
    """
    if not study.generators:
        raise InvalidScenario(f"--generators: name at least one of {', '.join(GENERATORS)}")
    for name in study.generators:
        if name not in GENERATORS:
            raise InvalidScenario(f"--generators {name!r}: there are {', '.join(GENERATORS)}")
    rows: list[Row] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vitrine-")))
        scenario = folder / "scenario.toml"
        scenario.write_text(_SCENARIO.format(seed=study.seed))
        run = StudyRun(print, watch, stack.enter_context(pinned()))
        run.pinning.start_servers()
        url = stack.enter_context(_null_server())
        run.pinning.start_generator()
        try:
            with run.keep_partial(rows):
                _run_rounds(study, run, url, scenario, rows)
        except KeyboardInterrupt:  # a run without rows is kept, too
            run.complete = False
    return _figures(study, rows, run)


def _run_rounds(
    study: GeneratorStudy, run: StudyRun, url: str, scenario: Path, rows: list[Row]
) -> None:
    for number, name in turns(study.generators, study.rounds):
        progress = run.watch(f"{name}, round {number} of {study.rounds}")
        measure = _measure_bench if name == "bench" else _measure_locust
        row = measure(study, url, scenario, progress)
        keep(rows, {"generator": name, "round": number, **row})


def _measure_bench(study: GeneratorStudy, url: str, scenario: Path, progress: Progress) -> Row:
    workload = read_scenario(scenario).workload(Catalogue.of(_IMAGES))
    load = send_as_users(url, workload, study.users, seconds=study.seconds, progress=progress)
    faults = count_faults(load.answers)
    cpu = load.generator * load.seconds
    failures = sum(1 for answer in load.answers if answer.fault)
    counts = {"failures": failures, "failed": faults, "complete": load.complete}
    return _row(len(load.answers), load.seconds, cpu) | counts


def _measure_locust(study: GeneratorStudy, url: str, scenario: Path, progress: Progress) -> Row:
    """Measure Locust, its start included, which is why rounds must not be short."""
    test = LoadTest(
        scenario=scenario,
        url=url,
        images=_IMAGES,
        users=(study.users,),
        seconds=study.seconds,
        seed=study.seed,
    )
    result = run_load_test(test, lambda entry: progress(entry["requests"], entry["failures"]))
    requests, cpu = result["requests"], result["generator_cpu_seconds"]
    rate = sum(row["requests_per_second"] for row in result["rows"])
    row = _row(requests, requests / rate if rate else 0.0, cpu)
    failures = {"failures": result["failures"], "failed": result["failed"][:5]}
    return row | failures | {"complete": result["complete"]}


def _row(requests: int, seconds: float, cpu: float) -> Row:
    """Return the figures of a round; `requests_per_core_second` is what the generator sustains for
    each second of CPU time."""
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


def _figures(study: GeneratorStudy, rows: list[Row], run: StudyRun) -> dict[str, Any]:
    keys = (
        *("requests_per_second", "generator_cores", "cpu_ms_per_request"),
        "requests_per_core_second",
    )
    medians = []
    for name in study.generators:
        whole = complete_rows([row for row in rows if row["generator"] == name])
        if whole:
            medians.append(
                {
                    "generator": name,
                    "rounds": len(whole),
                    "requests": sum(row["requests"] for row in whole),
                    "failures": sum(row["failures"] for row in whole),
                    **{key: rounded_median([row[key] for row in whole]) for key in keys},
                }
            )
    workload = _workload(study)
    return {
        **run.as_json(),
        "goal": GOAL,
        "scenario": {
            "model": "viewer-session",
            "users": study.users,
            "seconds": study.seconds,
            "rounds": study.rounds,
            "seed": study.seed,
        },
        "generators": {name: GENERATORS[name] for name in study.generators},
        "requests_sha256": workload,
        "rounds": rows,
        "medians": medians,
    }


def _workload(study: GeneratorStudy) -> str:
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        scenario = Path(folder, "scenario.toml")
        scenario.write_text(_SCENARIO.format(seed=study.seed))
        return fingerprint(read_scenario(scenario).workload(Catalogue.of(_IMAGES)), study.users)
