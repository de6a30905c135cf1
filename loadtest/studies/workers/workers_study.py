"""Rounds in which every server, with every number of processes, gets the same requests."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from loadtest.client.user_load import send_as_users, workload_fingerprint
from loadtest.corpora.museum_masters import make_masters
from loadtest.errors import InvalidScenario
from loadtest.figures.request_figures import Row, row_of
from loadtest.servers.pinning import pin_cores
from loadtest.servers.server_versions import list_versions
from loadtest.studies.interleaved_rounds import (
    Say,
    StudyRun,
    Watch,
    keep_row,
    load_figures,
    rotate_items,
    warm_up,
)
from loadtest.studies.workers.worker_medians import worker_medians
from loadtest.studies.workers.worker_rigs import KINDS, Tuned, catalogue_of, start_tuned
from loadtest.workload.catalogue import Catalogue
from loadtest.workload.models.cache_percent import CacheList, CachePercent
from loadtest.workload.request import Workload


@dataclass(frozen=True, kw_only=True)
class WorkersStudy:
    """The servers and numbers of processes to compare, and how long."""

    servers: Sequence[str] = ("ours", "iipsrv")
    """Names in `worker_rigs.KINDS`."""
    processes: Sequence[int] = (1, 2, 4)
    clients: Sequence[int] = (2, 4, 10)
    cache_percents: Sequence[int] = (100, 80)
    requests: int = 20_000
    """In a round, at most; fewer where its seconds end earlier."""
    seconds: float = 2.0
    rounds: int = 5
    seed: int = 2019
    scratch: Path = Path(".build/studies")


@dataclass
class _WorkerRows:
    images: Catalogue
    rounds: list[Row] = field(default_factory=list)
    checks: list[Row] = field(default_factory=list)
    fingerprints: list[str] = field(default_factory=list)


def compare_processes(study: WorkersStudy, say: Say, watch: Watch) -> dict[str, Any]:
    """Return figures, JSON-ready; `complete` is False after Ctrl-C or when a server died (then
    `stopped_by` says which), and what was measured is kept.

    Raises VitrineError, and RuntimeError without a photograph to make access masters from.
    """
    require_measurable(study)
    folder = study.scratch.resolve() / "museum"
    masters = make_masters(folder, say)
    measured = _WorkerRows(catalogue_of(masters))
    with ExitStack() as stack:
        run = StudyRun(say, watch, stack.enter_context(pin_cores()))
        say(f"starting {', '.join(study.servers)} with {_join_numbers(study.processes)} processes")
        run.pinning.start_servers()
        rigs = list(start_tuned(stack, study.servers, study.processes, folder))
        run.pinning.start_generator()
        with run.keep_partial(measured.rounds):
            for rig in rigs:
                _warm_server(study, run, measured, rig)
            _run_all_rounds(study, run, measured, rigs)
    return _study_figures(study, run, measured)


def require_measurable(study: WorkersStudy) -> None:
    """Raise InvalidScenario for what cannot be measured."""
    for name in study.servers:
        if name not in KINDS:
            raise InvalidScenario(f"--servers {name!r}: there are {', '.join(KINDS)}")
    if len(set(study.servers)) < len(study.servers) or not study.servers:
        raise InvalidScenario("--servers: name at least one, and each once")
    if min(*study.processes, *study.clients, 1) < 1:
        raise InvalidScenario("--processes and --clients must be above 0")
    if not all(0 <= percent <= 100 for percent in study.cache_percents):
        raise InvalidScenario("--cache-percents are 0 to 100")


def _run_all_rounds(
    study: WorkersStudy, run: StudyRun, measured: _WorkerRows, rigs: Sequence[Tuned]
) -> None:
    """Measure every cell of the table in each round, the rigs in turns."""
    for number in range(1, study.rounds + 1):
        for percent, clients in product(study.cache_percents, study.clients):
            workload = _round_workload(study, measured.images, percent, number)
            measured.fingerprints.append(workload_fingerprint(workload, clients))
            for rig in rotate_items(rigs, number):
                row = _run_round(study, run, rig, workload, (percent, clients), number)
                keep_row(measured.rounds, row)
        run.say(f"round {number} of {study.rounds} is done")


def _round_workload(study: WorkersStudy, images: Catalogue, percent: int, number: int) -> Workload:
    """Return the same warmed list for every round; new requests differ from round to round, and
    are the same for all servers."""
    options = CachePercent(requests=study.requests, cache_percent=percent)
    seed = study.seed + number * 101 + percent
    model = options.bind(images, seed)
    assert isinstance(model, CacheList)
    return Workload(model, seed, ends=True, warm=model.warm)


def _warm_server(study: WorkersStudy, run: StudyRun, measured: _WorkerRows, rig: Tuned) -> None:
    """Request everything once for each process: each has a cache of its own, and chance decides
    which of them takes a request."""
    model = CachePercent(requests=1, cache_percent=100).bind(measured.images, study.seed)
    assert isinstance(model, CacheList)
    targets = [*model.warm] * rig.processes
    progress = run.watch(f"{rig.rig.name}: warming")
    check = warm_up(rig.rig.name, rig.url, targets, rig.processes, progress)
    measured.checks.append({"server": rig.server, "processes": rig.processes, **check})


def _run_round(
    study: WorkersStudy,
    run: StudyRun,
    rig: Tuned,
    workload: Workload,
    cell: tuple[int, int],
    number: int,
) -> Row:
    percent, clients = cell
    name = f"{rig.rig.name}, {clients} clients, {percent} % cached, round {number}"
    before = sum(rig.rig.cpu_seconds().values())
    progress = run.watch(name)
    load = send_as_users(rig.url, workload, clients, seconds=study.seconds, progress=progress)
    rig.rig.check()
    used = sum(rig.rig.cpu_seconds().values()) - before
    return {
        "server": rig.server,
        "processes": rig.processes,
        "clients": clients,
        "cache_percent": percent,
        "round": number,
        **row_of(load.answers, load.seconds),
        **load_figures(load),
        "cpu_ms_per_request": round(1_000 * used / max(1, len(load.answers)), 4),
        "server_cores": round(used / load.seconds, 3),
    }


def _study_figures(study: WorkersStudy, run: StudyRun, measured: _WorkerRows) -> dict[str, Any]:
    return {
        **run.as_json(),
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
        "images": [[i.identifier, i.width, i.height] for i in measured.images.images],
        "servers": {name: KINDS[name].about for name in study.servers},
        "versions": list_versions(study.servers),
        "requests_sha256": measured.fingerprints,
        "checks": measured.checks,
        "rounds": measured.rounds,
        "medians": worker_medians(measured.rounds),
    }


def _join_numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
