"""Rounds in which every server is asked for the same, each round another first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadtest.client.user_load import Progress, ask_as_users, ask_each, fingerprint
from loadtest.corpora.museum_masters import make_masters
from loadtest.figures.request_figures import Row, failed, row_of
from loadtest.fleet.locust_command import check_answers
from loadtest.rigs.pinning import Pinning, pinned
from loadtest.rigs.server_versions import versions
from loadtest.studies.museum.museum_classes import ANY, kinds_of
from loadtest.studies.museum.museum_medians import medians
from loadtest.studies.museum.museum_servers import Server, server_at, start_servers
from loadtest.studies.museum.single_request_cpu import cpu_of_class, targets_by_kind, with_cpu
from loadtest.workload.catalogue import Image
from loadtest.workload.models.report_matrix import WEIGHTS, ReportMatrix
from loadtest.workload.request import Workload
from loadtest.workload.target import Target, info, whole
from vitrine.errors import InvalidScenario, VitrineError
from vitrine.local.process import ProcessDied

_WARMING_CLIENTS = 2
_THINK_SECONDS = ReportMatrix.think_seconds


@dataclass(frozen=True, kw_only=True)
class Study:
    """What is to be compared, and how long."""

    servers: Sequence[str] = ()
    """Of `servers.KINDS`, started here."""
    urls: Sequence[tuple[str, str]] = ()
    """Others: name, and what stands before their identifiers."""
    images: Sequence[Image] = ()
    """Of the others."""
    connections: Sequence[int] = (10, 100)
    seconds: float = 15.0
    rounds: int = 5
    cpu_seconds: float = 1.0
    """How long each class is asked for alone in a round, for its CPU time; 0: not at all."""
    seed: int = 2019
    scratch: Path = Path(".build/studies")


@dataclass
class _Course:
    study: Study
    say: Callable[[str], None]
    watch: Callable[[str], Progress]
    pinning: Pinning
    rows: list[Row] = field(default_factory=list)
    checks: list[Row] = field(default_factory=list)
    alone: list[Row] = field(default_factory=list)
    complete: bool = True
    stopped_by: str = ""


def compare(
    study: Study, say: Callable[[str], None], watch: Callable[[str], Progress]
) -> dict[str, Any]:
    """Figures of all servers; `complete` is False after Ctrl-C or when a server died (then
    `stopped_by` says which), and what was measured is kept.

    `watch` gives, for a round's name, whom to tell how far it is. Raises VitrineError and
    RuntimeError, and KeyboardInterrupt before anything was measured.
    """
    checked(study)
    with ExitStack() as stack:
        pinning = stack.enter_context(pinned())
        course = _Course(study, say, watch, pinning)
        servers = list(_servers(stack, course))
        pinning.start_generator()
        try:
            _all_rounds(course, servers)
        except (KeyboardInterrupt, ProcessDied) as error:
            if not course.rows:
                raise
            course.complete, course.stopped_by = False, str(error)
        return _figures(course, servers)


def _servers(stack: ExitStack, course: _Course) -> Iterator[Server]:
    study = course.study
    for name, url in study.urls:
        check_answers(url)
        yield server_at(name, url, study.images)
    if not study.servers:
        return
    folder = study.scratch.resolve() / "museum"
    masters = make_masters(folder, course.say)
    course.say(f"starting {', '.join(study.servers)}")
    course.pinning.start_servers()
    yield from start_servers(stack, study.servers, folder, masters)


def _all_rounds(course: _Course, servers: Sequence[Server]) -> None:
    workloads = {server.name: _workload(server, course.study) for server in servers}
    for server in servers:
        _warm(course, server)
    for users in course.study.connections:
        for number in range(1, course.study.rounds + 1):
            first = number % len(servers)
            for server in (*servers[first:], *servers[:first]):
                row = _round(course, server, workloads[server.name], users, number)
                if row is None:
                    return
    _cpu_rounds(course, servers, workloads)


def _cpu_rounds(
    course: _Course, servers: Sequence[Server], workloads: Mapping[str, Workload]
) -> None:
    """Each class by itself, for what it costs those servers whose processes we can see."""
    study = course.study
    rigs = [server for server in servers if server.rig and study.cpu_seconds]
    classes = {
        server.name: targets_by_kind(workloads[server.name], kinds_of(server)) for server in rigs
    }
    for number in range(1, study.rounds + 1 if rigs else 1):
        first = number % len(rigs)
        for server in (*rigs[first:], *rigs[:first]):
            watch = course.watch(f"{server.name}, CPU of each class, round {number}")
            for kind, targets in classes[server.name].items():
                row = cpu_of_class(server, targets, study.cpu_seconds, watch)
                course.alone.append({"server": server.name, "round": number, "kind": kind, **row})
                if not row["complete"]:
                    raise KeyboardInterrupt


def _workload(server: Server, study: Study) -> Workload:
    model = ReportMatrix(think_seconds=_THINK_SECONDS).bind(server.images, study.seed)
    return Workload(model, study.seed)


def _warm(course: _Course, server: Server) -> None:
    """One request of each size for every image: files into the memory of the machine, and a
    server that cannot answer is found now. Raises VitrineError when it answers nothing."""
    sizes = [int(size) for size in WEIGHTS["tables"] if size.isdigit()]
    targets: list[Target] = []
    for image in server.images.images:
        targets += [info(image), *(whole(image, size) for size in sizes)]
    load = ask_each(server.url, targets, _WARMING_CLIENTS, course.watch(f"{server.name}: warming"))
    if not load.complete:
        raise KeyboardInterrupt
    wrong = failed(load.answers)
    if wrong and all(answer.fault for answer in load.answers):
        raise VitrineError(f"{server.name} answers nothing as it should: {wrong[0]['fault']}")
    for entry in wrong:
        course.say(f"{server.name}: {entry['fault']} · {entry['path']}")
    counts = {"requests": len(load.answers), "failures": sum(bool(a.fault) for a in load.answers)}
    course.checks.append({"server": server.name, **counts, "failed": wrong})


def _round(
    course: _Course, server: Server, workload: Workload, users: int, number: int
) -> Row | None:
    """None: it was interrupted, and what there is of it was kept."""
    study = course.study
    name = f"{server.name}, {users} connections, round {number} of {study.rounds}"
    before = server.rig.cpu_seconds() if server.rig else {}
    load = ask_as_users(
        server.url, workload, users, seconds=study.seconds, progress=course.watch(name)
    )
    row: Row = {
        "server": server.name,
        "connections": users,
        "round": number,
        "complete": load.complete,
        "seconds": round(load.seconds, 3),
        "generator_cores": round(load.generator, 3),
        "client_bound": load.client_bound,
        "decoded": load.decoded,
        "failed": failed(load.answers),
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
        row["cpu_ms_per_request"] = _milliseconds(sum(used.values()), len(load.answers))
        row["cpu_ms_by_process"] = {
            process: _milliseconds(cpu, len(load.answers)) for process, cpu in used.items()
        }
    course.rows.append(row)
    course.complete &= load.complete
    return row if load.complete else None


def _milliseconds(seconds: float, requests: int) -> float:
    return round(1_000 * seconds / max(1, requests), 4)


def _figures(course: _Course, servers: Sequence[Server]) -> dict[str, Any]:
    study, pinning = course.study, course.pinning
    prints = {
        server.name: fingerprint(_workload(server, study), max(study.connections))
        for server in servers
    }
    return {
        "complete": course.complete,
        "stopped_by": course.stopped_by,
        "scenario": {
            "model": "report-matrix",
            "weights": WEIGHTS["tables"],
            "think_seconds": _THINK_SECONDS,
            "seed": study.seed,
            "connections": list(study.connections),
            "seconds": study.seconds,
            "rounds": study.rounds,
            "cpu_seconds": study.cpu_seconds,
        },
        "images": [[i.identifier, i.width, i.height] for i in servers[0].images.images],
        "servers": {server.name: server.about for server in servers},
        "versions": versions(study.servers),
        "pinned": {"server_core": pinning.server, "generator_core": pinning.generator},
        "requests_sha256": prints,
        "same_requests": len(set(prints.values())) == 1,
        "checks": course.checks,
        "rounds": course.rows,
        "cpu_rounds": course.alone,
        "medians": with_cpu(medians(course.rows), course.alone),
    }


def checked(study: Study) -> None:
    """Raises InvalidScenario for what cannot be compared."""
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
