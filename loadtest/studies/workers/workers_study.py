"""Rounds in which every server, with every number of processes, is asked for the same."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from loadtest.client.user_load import Progress, ask_as_users, ask_each, fingerprint
from loadtest.corpora.museum_masters import make_masters
from loadtest.figures.request_figures import Row, failed, row_of
from loadtest.rigs.pinning import Pinning, pinned
from loadtest.rigs.server_versions import versions
from loadtest.studies.workers.worker_medians import medians
from loadtest.studies.workers.worker_rigs import KINDS, Tuned, catalogue_of, start_tuned
from loadtest.workload.catalogue import Catalogue
from loadtest.workload.models.cache_percent import CacheList, CachePercent
from loadtest.workload.request import Workload
from vitrine.errors import InvalidScenario, VitrineError
from vitrine.local.process import ProcessDied


@dataclass(frozen=True, kw_only=True)
class Study:
    """What is to be tuned, and how long."""

    servers: Sequence[str] = ("ours", "iipsrv")
    """Of `rigs.KINDS`."""
    processes: Sequence[int] = (1, 2, 4)
    clients: Sequence[int] = (2, 4, 10)
    cache_percents: Sequence[int] = (100, 80)
    requests: int = 20_000
    """At most, in a round; fewer where its seconds are over before."""
    seconds: float = 2.0
    rounds: int = 5
    seed: int = 2019
    scratch: Path = Path(".build/studies")


@dataclass
class _Course:
    study: Study
    say: Callable[[str], None]
    watch: Callable[[str], Progress]
    images: Catalogue
    rows: list[Row] = field(default_factory=list)
    checks: list[Row] = field(default_factory=list)
    prints: list[str] = field(default_factory=list)
    complete: bool = True
    stopped_by: str = ""


def tune(
    study: Study, say: Callable[[str], None], watch: Callable[[str], Progress]
) -> dict[str, Any]:
    """Figures, JSON-ready; `complete` is False after Ctrl-C or when a server died (then
    `stopped_by` says which), and what was measured is kept.

    Raises VitrineError, and RuntimeError without a photograph to make access masters from.
    """
    checked(study)
    folder = study.scratch.resolve() / "museum"
    masters = make_masters(folder, say)
    with ExitStack() as stack:
        pinning = stack.enter_context(pinned())
        say(f"starting {', '.join(study.servers)} with {_listed(study.processes)} processes")
        pinning.start_servers()
        rigs = list(start_tuned(stack, study.servers, study.processes, folder))
        pinning.start_generator()
        course = _Course(study, say, watch, catalogue_of(masters))
        try:
            for rig in rigs:
                _warm(course, rig)
            course.complete = _all_rounds(course, rigs)
        except (KeyboardInterrupt, ProcessDied) as error:
            if not course.rows:
                raise
            course.complete, course.stopped_by = False, str(error)
    return _figures(course, pinning)


def checked(study: Study) -> None:
    """Raises InvalidScenario for what cannot be measured."""
    for name in study.servers:
        if name not in KINDS:
            raise InvalidScenario(f"--servers {name!r}: there are {', '.join(KINDS)}")
    if len(set(study.servers)) < len(study.servers) or not study.servers:
        raise InvalidScenario("--servers: name at least one, and each once")
    if min(*study.processes, *study.clients, 1) < 1:
        raise InvalidScenario("--processes and --clients must be above 0")
    if not all(0 <= percent <= 100 for percent in study.cache_percents):
        raise InvalidScenario("--cache-percents are 0 to 100")


def _all_rounds(course: _Course, rigs: Sequence[Tuned]) -> bool:
    """Whether all were made: every cell of the table in turns, each round another rig first."""
    study = course.study
    for number in range(1, study.rounds + 1):
        for percent, clients in product(study.cache_percents, study.clients):
            workload = _workload(course, percent, number)
            course.prints.append(fingerprint(workload, clients))
            first = number % len(rigs)
            for rig in (*rigs[first:], *rigs[:first]):
                if not _round(course, rig, workload, (percent, clients), number):
                    return False
        course.say(f"round {number} of {study.rounds} is done")
    return True


def _workload(course: _Course, percent: int, number: int) -> Workload:
    """The warmed list is always the same; what is new is new in every round, for all servers."""
    study = course.study
    options = CachePercent(requests=study.requests, cache_percent=percent)
    seed = study.seed + number * 101 + percent
    model = options.bind(course.images, seed)
    assert isinstance(model, CacheList)
    return Workload(model, seed, ends=True, warm=model.warm)


def _warm(course: _Course, rig: Tuned) -> None:
    """As often as there are processes: each has a cache of its own, and chance says which of them
    takes a request. Raises VitrineError when nothing is answered as it should be."""
    model = CachePercent(requests=1, cache_percent=100).bind(course.images, course.study.seed)
    assert isinstance(model, CacheList)
    targets = [*model.warm] * rig.processes
    load = ask_each(rig.url, targets, rig.processes, course.watch(f"{rig.rig.name}: warming"))
    if not load.complete:
        raise KeyboardInterrupt
    wrong = failed(load.answers)
    if wrong and all(answer.fault for answer in load.answers):
        raise VitrineError(f"{rig.rig.name} answers nothing as it should: {wrong[0]['fault']}")
    counts = {"requests": len(load.answers), "failures": sum(bool(a.fault) for a in load.answers)}
    course.checks.append(
        {"server": rig.server, "processes": rig.processes, **counts, "failed": wrong}
    )


def _round(
    course: _Course, rig: Tuned, workload: Workload, cell: tuple[int, int], number: int
) -> bool:
    """Whether it came to its end; what there is of it is kept."""
    percent, clients = cell
    name = f"{rig.rig.name}, {clients} clients, {percent} % cached, round {number}"
    before = rig.rig.usage().cpu_seconds
    seconds, progress = course.study.seconds, course.watch(name)
    load = ask_as_users(rig.url, workload, clients, seconds=seconds, progress=progress)
    rig.rig.check()
    used = rig.rig.usage().cpu_seconds - before
    course.rows.append(
        {
            "server": rig.server,
            "processes": rig.processes,
            "clients": clients,
            "cache_percent": percent,
            "round": number,
            "complete": load.complete,
            "seconds": round(load.seconds, 3),
            **row_of(load.answers, load.seconds),
            "cpu_ms_per_request": round(1_000 * used / max(1, len(load.answers)), 4),
            "server_cores": round(used / load.seconds, 3),
            "generator_cores": round(load.generator, 3),
            "client_bound": load.client_bound,
            "decoded": load.decoded,
            "failed": failed(load.answers),
        }
    )
    return load.complete


def _figures(course: _Course, pinning: Pinning) -> dict[str, Any]:
    study = course.study
    return {
        "complete": course.complete,
        "stopped_by": course.stopped_by,
        "scenario": {
            "model": "cache-percent",
            "servers": list(study.servers),
            "processes": list(study.processes),
            "clients": list(study.clients),
            "cache_percents": list(study.cache_percents),
            "requests": study.requests,
            "seconds": study.seconds,
            "rounds": study.rounds,
            "seed": study.seed,
        },
        "images": [[i.identifier, i.width, i.height] for i in course.images.images],
        "servers": {name: KINDS[name].about for name in study.servers},
        "versions": versions(study.servers),
        "pinned": {"server_core": pinning.server, "generator_core": pinning.generator},
        "requests_sha256": course.prints,
        "checks": course.checks,
        "rounds": course.rows,
        "medians": medians(course.rows),
    }


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
