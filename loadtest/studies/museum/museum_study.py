"""Rounds in which every server gets the same requests, in turns."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadtest.client.user_load import send_as_users, workload_fingerprint
from loadtest.corpora.museum_masters import make_masters
from loadtest.errors import InvalidScenario
from loadtest.figures.request_figures import Row, row_of
from loadtest.fleet.locust_command import check_answers
from loadtest.servers.pinning import pin_cores
from loadtest.servers.server_versions import list_versions
from loadtest.studies.interleaved_rounds import (
    Say,
    StudyRun,
    Watch,
    interleave_turns,
    keep_row,
    load_figures,
    warm_up,
)
from loadtest.studies.museum.museum_classes import ANY, kinds_of
from loadtest.studies.museum.museum_medians import museum_medians
from loadtest.studies.museum.museum_servers import MeasuredServer, server_at, start_servers
from loadtest.studies.museum.single_request_cpu import cpu_of_class, targets_by_kind, with_cpu
from loadtest.workload.catalogue import Image
from loadtest.workload.models.report_matrix import WEIGHTS, ReportMatrix
from loadtest.workload.request import Workload
from loadtest.workload.target import Target, information_target, whole_target

_WARMING_CLIENTS = 2
_THINK_SECONDS = ReportMatrix.think_seconds


@dataclass(frozen=True, kw_only=True)
class MuseumStudy:
    """The servers to compare, and how long."""

    servers: Sequence[str] = ()
    """Names in `museum_servers.KINDS`, started here."""
    urls: Sequence[tuple[str, str]] = ()
    """Other servers: name, and the address that precedes their identifiers."""
    images: Sequence[Image] = ()
    """Images that the other servers have."""
    connections: Sequence[int] = (10, 100)
    seconds: float = 15.0
    rounds: int = 5
    cpu_seconds: float = 1.0
    """Seconds for which each class is sent alone in a round, for its CPU time; 0: not at all."""
    server_cores: int = 1
    """Cores that each server may use, all of its processes together."""
    seed: int = 2019
    scratch: Path = Path(".build/studies")


@dataclass
class _MuseumRows:
    rounds: list[Row] = field(default_factory=list)
    checks: list[Row] = field(default_factory=list)
    cpu_rounds: list[Row] = field(default_factory=list)


def compare_servers(study: MuseumStudy, say: Say, watch: Watch) -> dict[str, Any]:
    """Return figures of all servers; `complete` is False after Ctrl-C or when a server died (then
    `stopped_by` says which), and what was measured is kept.

    Raises VitrineError and RuntimeError, and KeyboardInterrupt before anything was measured.
    """
    require_comparable(study)
    measured = _MuseumRows()
    with ExitStack() as stack:
        run = StudyRun(say, watch, stack.enter_context(pin_cores(study.server_cores)))
        servers = list(_start_servers(stack, study, run))
        run.pinning.start_generator()
        with run.keep_partial(measured.rounds):
            _run_all_rounds(study, run, measured, servers)
        return _study_figures(study, run, measured, servers)


def _start_servers(stack: ExitStack, study: MuseumStudy, run: StudyRun) -> Iterator[MeasuredServer]:
    for name, url in study.urls:
        check_answers(url)
        yield server_at(name, url, study.images)
    if not study.servers:
        return
    folder = study.scratch.resolve() / "museum"
    masters = make_masters(folder, run.say)
    run.say(f"starting {', '.join(study.servers)}")
    run.pinning.start_servers()
    yield from start_servers(stack, study.servers, folder, masters)


def _run_all_rounds(
    study: MuseumStudy, run: StudyRun, measured: _MuseumRows, servers: Sequence[MeasuredServer]
) -> None:
    workloads = {server.name: _server_workload(server, study) for server in servers}
    for server in servers:
        _warm_server(run, measured, server)
    for users in study.connections:
        for number, server in interleave_turns(servers, study.rounds):
            row = _run_round(study, run, server, workloads[server.name], users, number)
            keep_row(measured.rounds, row)
    _run_cpu_rounds(study, run, measured, servers, workloads)


def _run_cpu_rounds(
    study: MuseumStudy,
    run: StudyRun,
    measured: _MuseumRows,
    servers: Sequence[MeasuredServer],
    workloads: Mapping[str, Workload],
) -> None:
    """Send each class by itself, for what it costs those servers whose processes we can see."""
    ours = [server for server in servers if server.rig and study.cpu_seconds]
    classes = {
        server.name: targets_by_kind(workloads[server.name], kinds_of(server)) for server in ours
    }
    for number, server in interleave_turns(ours, study.rounds):
        progress = run.watch(f"{server.name}, CPU of each class, round {number}")
        for kind, targets in classes[server.name].items():
            row = cpu_of_class(server, targets, study.cpu_seconds, progress)
            keep_row(
                measured.cpu_rounds, {"server": server.name, "round": number, "kind": kind, **row}
            )


def _server_workload(server: MeasuredServer, study: MuseumStudy) -> Workload:
    model = ReportMatrix(think_seconds=_THINK_SECONDS).bind(server.images, study.seed)
    return Workload(model, study.seed)


def _warm_server(run: StudyRun, measured: _MuseumRows, server: MeasuredServer) -> None:
    """Request every image in each size, which brings the files into the machine's memory."""
    sizes = [int(size) for size in WEIGHTS["tables"] if size.isdigit()]
    targets: list[Target] = []
    for image in server.images.images:
        targets += [information_target(image), *(whole_target(image, size) for size in sizes)]
    progress = run.watch(f"{server.name}: warming")
    check = warm_up(server.name, server.url, targets, _WARMING_CLIENTS, progress)
    for entry in check["failed"]:
        run.say(f"{server.name}: {entry['fault']} · {entry['path']}")
    measured.checks.append({"server": server.name, **check})


def _run_round(
    study: MuseumStudy,
    run: StudyRun,
    server: MeasuredServer,
    workload: Workload,
    users: int,
    number: int,
) -> Row:
    progress = run.watch(f"{server.name}, {users} connections, round {number} of {study.rounds}")
    before = server.rig.cpu_seconds() if server.rig else {}
    load = send_as_users(server.url, workload, users, seconds=study.seconds, progress=progress)
    row: Row = {
        "server": server.name,
        "connections": users,
        "round": number,
        **load_figures(load),
        "rows": {
            kind: row_of((a for a in load.answers if a.target.kind == kind), load.seconds)
            for kind in kinds_of(server)
        }
        | {ANY: row_of(load.answers, load.seconds)},
    }
    if server.rig:
        server.rig.check()
        after = server.rig.cpu_seconds()
        used = {process: after[process] - before[process] for process in after}
        row["server_cores"] = round(sum(used.values()) / load.seconds, 3)
        row["cpu_ms_per_request"] = _mean_milliseconds(sum(used.values()), len(load.answers))
        row["cpu_ms_by_process"] = {
            process: _mean_milliseconds(cpu, len(load.answers)) for process, cpu in used.items()
        }
    return row


def _mean_milliseconds(seconds: float, requests: int) -> float:
    return round(1_000 * seconds / max(1, requests), 4)


def _study_figures(
    study: MuseumStudy, run: StudyRun, measured: _MuseumRows, servers: Sequence[MeasuredServer]
) -> dict[str, Any]:
    prints = {
        server.name: workload_fingerprint(_server_workload(server, study), max(study.connections))
        for server in servers
    }
    return {
        **run.as_json(),
        "scenario": {
            "model": "report-matrix",
            "weights": WEIGHTS["tables"],
            "think_seconds": _THINK_SECONDS,
            "seed": study.seed,
            "connections": list(study.connections),
            "seconds": study.seconds,
            "rounds": study.rounds,
            "cpu_seconds": study.cpu_seconds,
            "server_cores": study.server_cores,
        },
        "images": [[i.identifier, i.width, i.height] for i in servers[0].images.images],
        "servers": {server.name: server.about for server in servers},
        "versions": list_versions(study.servers),
        "requests_sha256": prints,
        "same_requests": len(set(prints.values())) == 1,
        "checks": measured.checks,
        "rounds": measured.rounds,
        "cpu_rounds": measured.cpu_rounds,
        "medians": with_cpu(museum_medians(measured.rounds), measured.cpu_rounds),
    }


def require_comparable(study: MuseumStudy) -> None:
    """Raise InvalidScenario for servers that cannot be compared."""
    names = [*study.servers, *(name for name, _ in study.urls)]
    if not names:
        raise InvalidScenario("name servers to compare, with --servers or --url NAME=URL")
    if len(set(names)) < len(names):
        raise InvalidScenario(f"two servers have one name: {', '.join(names)}")
    if study.urls and not study.images:
        raise InvalidScenario(
            "the catalogue is empty: --url needs --images, a CSV file with identifier, width and "
            "height of images that every server has"
        )
