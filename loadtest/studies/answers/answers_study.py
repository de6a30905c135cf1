"""Rounds in which every server is sent the same requests for the same photographs, in turns.

Servers that keep answers have two rows of each request: what it takes the first time, and again.
First requests name a Host that none named before, by which nginx keeps answers, and what else can
be emptied is, before each of them.
"""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Any

from loadtest.client.http_client import check_quickly, check_thoroughly
from loadtest.client.response_reader import HttpResponse
from loadtest.client.user_load import Load, send_checked
from loadtest.corpora.photograph_masters import PHOTOGRAPHS, PhotographMaster, make_masters
from loadtest.errors import InvalidScenario
from loadtest.figures.order_statistics import median
from loadtest.figures.rendered_fidelity import METHOD, RenderedFidelity
from loadtest.figures.request_figures import count_faults
from loadtest.servers.pinning import pin_cores
from loadtest.servers.rivals import PROCESSES, SETTINGS
from loadtest.servers.server_versions import list_versions
from loadtest.studies.answers.answer_medians import answer_medians, pack_rows
from loadtest.studies.answers.answer_requests import KINDS, RenderRequest
from loadtest.studies.answers.answering_servers import (
    OURS,
    STATIC,
    Contender,
    contenders_of,
    start_servers,
)
from loadtest.studies.interleaved_rounds import Say, StudyRun, Watch, rotate_items
from loadtest.studies.museum.museum_servers import MeasuredServer, image_of
from loadtest.workload.target import Target
from rigs.rig import Rig

KEPT_AFTER = 3
"""Requests of an address until its answer is kept: our nginx counts the first only."""
_COMPARED = 4
"""Regions of a kind whose fidelity is measured."""
_WRITTEN_SECONDS = 0.002
"""Until nginx has moved a derivative's file to its place after it sent it."""
Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class AnswersStudy:
    """The servers, photographs and kinds of request to compare, and how long."""

    servers: Sequence[str]
    """`OURS`, `STATIC`, and names in `museum_servers.KINDS`."""
    tree: Path | None = None
    """Another checkout, whose image task is the server `BEFORE`."""
    photographs: Sequence[str] = tuple(PHOTOGRAPHS)
    kinds: Sequence[str] = tuple(KINDS)
    seconds: float = 0.3
    """Seconds for which each kind is sent to a server in a round; one request at least."""
    rounds: int = 5
    scratch: Path = Path(".build/studies")


@dataclass(frozen=True, kw_only=True)
class _Task:
    """The requests of one kind for one photograph."""

    photograph: PhotographMaster
    label: str
    requests: Sequence[RenderRequest]

    def targets(self, server: MeasuredServer) -> list[Target]:
        """Return the addresses on a server."""
        suffix = Path(server.images.images[0].identifier).suffix
        image = image_of(self.photograph.master, suffix)
        return [request.target(image, self.label) for request in self.requests]


@dataclass
class _AnswerRows:
    rounds: list[Row] = field(default_factory=list)
    checks: list[Row] = field(default_factory=list)


def compare_answers(study: AnswersStudy, say: Say, watch: Watch) -> dict[str, Any]:
    """Return figures of all servers; after Ctrl-C, or when a server died, those until then.

    Raises VitrineError and RuntimeError, and KeyboardInterrupt before anything was measured.
    """
    _require_known(study)
    folder = study.scratch.resolve() / "answers"
    photographs = make_masters(folder, study.photographs, say)
    measured = _AnswerRows()
    with ExitStack() as stack:
        run = StudyRun(say, watch, stack.enter_context(pin_cores()))
        say(f"starting {', '.join(study.servers)}")
        run.pinning.start_servers()
        masters = [photograph.master for photograph in photographs]
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vitrine-")))
        servers = start_servers(stack, study.servers, study.tree, folder, masters, root)
        run.pinning.start_generator()
        with run.keep_partial(measured.rounds):
            contenders = list(contenders_of(servers))
            tasks = list(_list_tasks(study, photographs))
            right = _check_all(run, measured, contenders, tasks, root)
            _run_rounds(study, run, measured, right)
        return _study_figures(study, run, measured, contenders)


def _require_known(study: AnswersStudy) -> None:
    if not study.servers:
        raise InvalidScenario("name servers to compare with --servers")
    if STATIC in study.servers and OURS not in study.servers:
        raise InvalidScenario(f"{STATIC!r} sends the answers of {OURS!r}: name both")
    for name in study.kinds:
        if name not in KINDS:
            raise InvalidScenario(f"there is no request {name!r}; choose from {', '.join(KINDS)}")


def _list_tasks(study: AnswersStudy, photographs: Sequence[PhotographMaster]) -> Iterator[_Task]:
    for photograph in photographs:
        for label in study.kinds:
            if requests := KINDS[label].requests(photograph.master):
                yield _Task(photograph=photograph, label=label, requests=requests)


def _check_all(
    run: StudyRun,
    measured: _AnswerRows,
    contenders: Sequence[Contender],
    tasks: Sequence[_Task],
    root: Path,
) -> list[tuple[_Task, list[Contender]]]:
    """Request everything once; return the tasks, each with those that answered it rightly.

    What a server cannot do (enlarge, for one) is not timed. Our answers are written under `root`.
    """
    found, fidelity, last = [], None, None
    for task in tasks:
        if fidelity is None or task.photograph is not last:
            fidelity, last = RenderedFidelity(task.photograph.picture), task.photograph
        rows = [
            _check_answers(run, contender, task, fidelity, root)
            for contender in contenders
            if not contender.again
        ]
        measured.checks += rows
        wrong = {row["server"] for row in rows if row["failures"]}
        if OURS in wrong:
            wrong.add(STATIC)
        able = [c for c in contenders if c.server.name not in wrong]
        found.append((task, able))
    return found


def _check_answers(
    run: StudyRun, contender: Contender, task: _Task, fidelity: RenderedFidelity, root: Path
) -> Row:
    """Decode an answer to each request, and compare some with the master."""
    values: list[float] = []
    compared = {target.path: request for target, request in _pair_requests(contender, task)}

    def look(target: Target, response: HttpResponse) -> str:
        fault = check_thoroughly(target, response)
        if contender.name == OURS:
            _write_answer(root / target.path.lstrip("/"), response.body)
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


def _pair_requests(contender: Contender, task: _Task) -> Iterator[tuple[Target, RenderRequest]]:
    if KINDS[task.label].info:
        return
    targets = task.targets(contender.server)[:_COMPARED]
    yield from zip(targets, task.requests, strict=False)


def _require_alive(server: MeasuredServer) -> None:
    """Raise ProcessDied if a process of the server has ended."""
    assert server.rig
    server.rig.check()


def _run_rounds(
    study: AnswersStudy,
    run: StudyRun,
    measured: _AnswerRows,
    tasks: Sequence[tuple[_Task, Sequence[Contender]]],
) -> None:
    began = time.monotonic()
    for number in range(1, study.rounds + 1):
        for place, (task, contenders) in enumerate(tasks):
            progress = run.watch(
                f"round {number} of {study.rounds}, {task.photograph.name}, {task.label}, "
                f"{time.monotonic() - began:.0f} s"
            )
            for contender in rotate_items(contenders, number + place):
                row = _measure_task(contender, task, study.seconds)
                measured.rounds.append({"round": number, **row})
                progress(len(measured.rounds), sum(r["failures"] for r in measured.rounds))
        run.say(f"round {number} of {study.rounds}: {time.monotonic() - began:.0f} s")


def _measure_task(contender: Contender, task: _Task, seconds: float) -> Row:
    """Send one request after the other, so that the time of each is its own."""
    rig = contender.server.rig
    assert rig
    targets = task.targets(contender.server)
    check, hosts = check_quickly, None
    if contender.again:
        send_checked(contender.server.url, KEPT_AFTER * targets, 1)
    else:
        hosts = (f"first-{number}.test" for number in _NUMBERS)
        check = partial(_check_and_forget, rig, rest=KINDS[task.label].rendered)
    before = rig.cpu_seconds()
    load: Load = send_checked(
        contender.server.url, cycle(targets), 1, check, seconds=seconds, hosts=hosts
    )
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


_NUMBERS = count()


def _write_answer(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)


def _check_and_forget(rig: Rig, target: Target, response: HttpResponse, *, rest: bool) -> str:
    """Empty what can be emptied; `rest` a moment before, as long for every server."""
    if rest:
        time.sleep(_WRITTEN_SECONDS)
    if rig.forget:
        rig.forget()
    return check_quickly(target, response)


def _study_figures(
    study: AnswersStudy,
    run: StudyRun,
    measured: _AnswerRows,
    contenders: Sequence[Contender],
) -> dict[str, Any]:
    return {
        **run.as_json(),
        "photographs": {name: PHOTOGRAPHS[name].provenance() for name in study.photographs},
        "requests": list(study.kinds),
        "servers": {contender.name: contender.about for contender in contenders},
        "rounds_of": {"seconds": study.seconds, "rounds": study.rounds},
        "psnr_reference": METHOD,
        "iipsrv_settings": SETTINGS | {"processes": str(PROCESSES)},
        "versions": list_versions(study.servers),
        "checks": pack_rows(measured.checks),
        "medians": answer_medians(measured.rounds, measured.checks),
        "rounds": pack_rows(measured.rounds),
    }
