"""Rounds in which every server renders the same derivatives of the same photographs, in turns."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from loadtest.client.http_client import Check, check_quickly, check_thoroughly
from loadtest.client.response_reader import HttpResponse
from loadtest.client.user_load import Load, send_checked
from loadtest.corpora.photograph_masters import PHOTOGRAPHS, PhotographMaster, make_masters
from loadtest.errors import InvalidScenario
from loadtest.figures.order_statistics import median
from loadtest.figures.rendered_fidelity import METHOD, RenderedFidelity
from loadtest.figures.request_figures import count_faults
from loadtest.rigs.pinning import pinned
from loadtest.rigs.rivals import PROCESSES, SETTINGS
from loadtest.rigs.server_versions import versions
from loadtest.studies.interleaved_rounds import Say, StudyRun, Watch, rotate
from loadtest.studies.museum.museum_servers import Server, image_of, start_servers
from loadtest.studies.renderers.renderer_medians import pack_rows, renderer_medians
from loadtest.studies.renderers.renderer_requests import KINDS, RenderRequest
from loadtest.workload.target import Target

AGAIN = ", again"
"""Ends the name of a row of answers that come from a cache of finished ones."""
_COMPARED = 4
"""Regions of a kind whose fidelity is measured."""
Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class RenderersStudy:
    """The servers, photographs and kinds of request to compare, and how long."""

    servers: Sequence[str]
    """Names in `museum_servers.KINDS`."""
    photographs: Sequence[str] = tuple(PHOTOGRAPHS)
    kinds: Sequence[str] = tuple(KINDS)
    seconds: float = 0.3
    """How long each kind is sent to a server in a round; one request at least."""
    rounds: int = 5
    scratch: Path = Path(".build/studies")


@dataclass(frozen=True, kw_only=True)
class _Contender:
    """A row of the tables: a server, and what is done before each request."""

    name: str
    server: Server
    forget: Callable[[], None] | None = None


@dataclass(frozen=True, kw_only=True)
class _Task:
    """The requests of one kind for one photograph."""

    photograph: PhotographMaster
    label: str
    requests: Sequence[RenderRequest]

    def targets(self, server: Server) -> list[Target]:
        """Return the addresses on a server."""
        suffix = Path(server.images.images[0].identifier).suffix
        image = image_of(self.photograph.master, suffix)
        return [request.target(image, self.label) for request in self.requests]


@dataclass
class _Measured:
    rounds: list[Row] = field(default_factory=list)
    checks: list[Row] = field(default_factory=list)


def compare_renderers(study: RenderersStudy, say: Say, watch: Watch) -> dict[str, Any]:
    """Return figures of all servers; after Ctrl-C, or when a server died, those until then.

    Raises VitrineError and RuntimeError, and KeyboardInterrupt before anything was measured.
    """
    _require_known(study)
    folder = study.scratch.resolve() / "renderers"
    photographs = make_masters(folder, study.photographs, say)
    measured = _Measured()
    with ExitStack() as stack:
        run = StudyRun(say, watch, stack.enter_context(pinned()))
        say(f"starting {', '.join(study.servers)}")
        run.pinning.start_servers()
        masters = [photograph.master for photograph in photographs]
        servers = start_servers(stack, study.servers, folder, masters)
        run.pinning.start_generator()
        with run.keep_partial(measured.rounds):
            contenders = list(_contenders(servers))
            tasks = list(_tasks(study, photographs))
            right = _check_all(run, measured, contenders, tasks)
            _run_rounds(study, run, measured, right)
        return _figures(study, run, measured, contenders)


def _require_known(study: RenderersStudy) -> None:
    if not study.servers:
        raise InvalidScenario("name servers to compare with --servers")
    for name in study.kinds:
        if name not in KINDS:
            raise InvalidScenario(f"there is no request {name!r}; choose from {', '.join(KINDS)}")


def _contenders(servers: Sequence[Server]) -> Iterator[_Contender]:
    for server in servers:
        assert server.rig
        if server.rig.forget:
            yield _Contender(name=server.name, server=server, forget=server.rig.forget)
            yield _Contender(name=server.name + AGAIN, server=server)
        else:
            yield _Contender(name=server.name, server=server)


def _tasks(study: RenderersStudy, photographs: Sequence[PhotographMaster]) -> Iterator[_Task]:
    for photograph in photographs:
        for label in study.kinds:
            if requests := KINDS[label].requests(photograph.master):
                yield _Task(photograph=photograph, label=label, requests=requests)


def _check_all(
    run: StudyRun,
    measured: _Measured,
    contenders: Sequence[_Contender],
    tasks: Sequence[_Task],
) -> list[tuple[_Task, list[_Contender]]]:
    """Request everything once; return the tasks, each with those that answered it rightly.

    What a server cannot do (enlarge, for one) is not timed.
    """
    found, fidelity, last = [], None, None
    for task in tasks:
        if fidelity is None or task.photograph is not last:
            fidelity, last = RenderedFidelity(task.photograph.picture), task.photograph
        rows = [
            _check(run, contender, task, fidelity)
            for contender in contenders
            if not contender.name.endswith(AGAIN)
        ]
        measured.checks += rows
        wrong = {row["server"] for row in rows if row["failures"]}
        able = [c for c in contenders if c.server.name not in wrong]
        found.append((task, able))
    return found


def _check(run: StudyRun, contender: _Contender, task: _Task, fidelity: RenderedFidelity) -> Row:
    """Decode an answer to each request, and compare some with the master."""
    values: list[float] = []
    compared = {target.path: request for target, request in _compared(contender, task)}

    def look(target: Target, response: HttpResponse) -> str:
        fault = check_thoroughly(target, response)
        if not fault and (request := compared.get(target.path)):
            kind = request.kind
            values.append(
                fidelity.psnr_db(response.body, request.box, rotation=kind.rotation, gray=kind.gray)
            )
        return fault

    run.watch(f"{contender.name}: checking {task.label}, {task.photograph.name}")
    load = send_checked(contender.server.url, task.targets(contender.server), 1, look)
    _require_alive(contender.server)
    faults = count_faults(load.answers)
    return {
        "photograph": task.photograph.name,
        "request": task.label,
        "server": contender.name,
        "requests": len(load.answers),
        "failures": sum(bool(answer.fault) for answer in load.answers),
        "fault": f"{faults[0]['fault']} · {faults[0]['path']}" if faults else "",
        "bytes": round(sum(answer.bytes for answer in load.answers) / len(load.answers)),
        "psnr_db": round(sum(values) / len(values), 3) if values else None,
    }


def _compared(contender: _Contender, task: _Task) -> Iterator[tuple[Target, RenderRequest]]:
    targets = task.targets(contender.server)[:_COMPARED]
    yield from zip(targets, task.requests, strict=False)


def _require_alive(server: Server) -> None:
    """Raise ProcessDied if a process of the server has ended."""
    assert server.rig
    server.rig.check()


def _run_rounds(
    study: RenderersStudy,
    run: StudyRun,
    measured: _Measured,
    tasks: Sequence[tuple[_Task, Sequence[_Contender]]],
) -> None:
    began = time.monotonic()
    for number in range(1, study.rounds + 1):
        for place, (task, contenders) in enumerate(tasks):
            progress = run.watch(
                f"round {number} of {study.rounds}, {task.photograph.name}, {task.label}, "
                f"{time.monotonic() - began:.0f} s"
            )
            for contender in rotate(contenders, number + place):
                row = _measure(contender, task, study.seconds)
                measured.rounds.append({"round": number, **row})
                progress(len(measured.rounds), sum(r["failures"] for r in measured.rounds))
        run.say(f"round {number} of {study.rounds}: {time.monotonic() - began:.0f} s")


def _measure(contender: _Contender, task: _Task, seconds: float) -> Row:
    """Send one request after the other, so that the time of each is its own."""
    rig = contender.server.rig
    assert rig
    targets = task.targets(contender.server)
    check: Check = check_quickly
    if contender.forget:
        contender.forget()
        check = partial(_check_and_forget, contender.forget)
    elif contender.name.endswith(AGAIN):
        send_checked(contender.server.url, targets, 1)
    before = rig.cpu_seconds()
    load: Load = send_checked(contender.server.url, cycle(targets), 1, check, seconds=seconds)
    after = rig.cpu_seconds()
    rig.check()
    requests = len(load.answers)
    return {
        "photograph": task.photograph.name,
        "request": task.label,
        "server": contender.name,
        "requests": requests,
        "failures": sum(bool(answer.fault) for answer in load.answers),
        "p50_ms": round(1000 * median(answer.seconds for answer in load.answers), 3),
        "cpu_ms": {
            name: round(1000 * (after[name] - before[name]) / requests, 3) for name in before
        },
    }


def _check_and_forget(forget: Callable[[], None], target: Target, response: HttpResponse) -> str:
    forget()
    return check_quickly(target, response)


def _figures(
    study: RenderersStudy,
    run: StudyRun,
    measured: _Measured,
    contenders: Sequence[_Contender],
) -> dict[str, Any]:
    return {
        **run.as_json(),
        "photographs": {name: PHOTOGRAPHS[name].provenance() for name in study.photographs},
        "requests": list(study.kinds),
        "servers": {contender.name: _about(contender) for contender in contenders},
        "rounds_of": {"seconds": study.seconds, "rounds": study.rounds},
        "psnr_reference": METHOD,
        "iipsrv_settings": SETTINGS | {"processes": str(PROCESSES)},
        "versions": versions(study.servers),
        "checks": pack_rows(measured.checks),
        "medians": renderer_medians(measured.rounds, measured.checks),
        "rounds": pack_rows(measured.rounds),
    }


def _about(contender: _Contender) -> str:
    if contender.forget:
        return f"{contender.server.about}; emptied before each request"
    if contender.name.endswith(AGAIN):
        return f"{contender.server.about}; every answer comes from memcached"
    return contender.server.about
