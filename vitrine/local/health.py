"""The health of the parts of the one-machine service: asked, not remembered."""

import http.client
import json
import shutil
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from vitrine.bootstrap.local_service import LocalService
from vitrine.local import emulator, timer
from vitrine.local.process import Running, log_path, read_notes

LOW_MEBIBYTES = 1_024
"""With less free disk a large master cannot be ingested, and large images cannot be rendered."""
SECONDS = 5.0
PROCESSES = ("edge", "nginx", "gateway", "iipsrv", emulator.NAME, timer.NAME)
"""From the viewer inwards."""
WITHOUT_TASK = ("edge", emulator.NAME, timer.NAME)
"""Parts where a Lambda serves the images, which the emulator starts."""
PROBE = "/iiif/3/readiness-probe/info.json"
"""An address that any gateway answers: with 404, or 503 while there is no image at all."""


@dataclass(frozen=True, kw_only=True)
class ServicePart:
    """A part of the service; `problem` is a sentence, empty if the part is well."""

    name: str
    problem: str = ""
    detail: str = ""
    """A figure that is worth showing even if all is well."""


def check_parts(directory: Path, service: LocalService) -> list[ServicePart]:
    """Return the state of every process and of the disk; takes seconds if one does not answer."""
    notes = {note.name: note for note in read_notes(directory)}
    processes = WITHOUT_TASK if service.image_function else PROCESSES
    problems = {name: _process_problem(directory, name, notes.get(name)) for name in processes}
    checks: dict[str, Callable[[], str]] = {
        "edge": lambda: find_problem_at(f"{service.edge_url}/"),
        "nginx": lambda: find_problem_at(f"{service.origin_url}/healthz", any_status=True),
        "gateway": lambda: _gateway_problem(directory),
        "iipsrv": lambda: _socket_problem(directory / "task" / "work" / "run" / "iipsrv.sock"),
        emulator.NAME: lambda: find_problem_at(f"{service.emulator_url}/_ministack/health"),
        timer.NAME: lambda: "",
    }
    details = {"gateway": f"{len(_gateway_sockets(directory))} processes"}
    parts = [
        ServicePart(
            name=name,
            problem=problems[name] or checks[name](),
            detail=details.get(name, ""),
        )
        for name in processes
    ]
    if service.image_function:
        parts.append(ServicePart(name="function", problem=_function_problem(service)))
    return [*parts, check_disk(directory)]


def check_disk(directory: Path) -> ServicePart:
    """Return the free space where the service keeps its data."""
    free = shutil.disk_usage(directory).free
    low = free < LOW_MEBIBYTES * 2**20
    advice = "Large masters are not ingested and large images not rendered; make room."
    return ServicePart(
        name="disk",
        problem=f"Only {free / 1e9:,.1f} GB are free at {directory}. {advice}" if low else "",
        detail=f"{free / 1e9:,.1f} GB free",
    )


def find_problem_at(url: str, *, any_status: bool = False) -> str:
    """Return what is wrong at an address; "" if it answers below 500, or with `any_status`."""
    try:
        with urllib.request.urlopen(url, timeout=SECONDS):
            return ""
    except urllib.error.HTTPError as error:
        with error:
            well = any_status or error.code < 500
            return "" if well else f"It answers {error.code}."
    except (OSError, http.client.HTTPException, ValueError) as error:
        return f"It does not answer ({_error_reason(error)})."


def _function_problem(service: LocalService) -> str:
    """Return what is wrong with the Lambda that serves images: its own errors are 502 or 504."""
    problem = find_problem_at(f"{service.edge_url}{PROBE}")
    return "" if problem == "It answers 503." else problem


def _process_problem(directory: Path, name: str, note: Running | None) -> str:
    if note is not None and note.alive:
        return ""
    ended = "It was not started" if note is None else "It has ended"
    return f"{ended}; its log is {log_path(directory, name)}. Start what is missing with `make up`."


def _gateway_problem(directory: Path) -> str:
    """Return what the gateway lacks, by its processes' own accounts; what all lack is said once."""
    found = {path.stem: _account_of(path) for path in _gateway_sockets(directory)}
    if not found:
        return "None of its processes was started."
    accounts = set(found.values())
    if len(accounts) == 1:
        return accounts.pop()
    return " ".join(f"{name}: {account}" for name, account in found.items() if account)


def _gateway_sockets(directory: Path) -> list[Path]:
    return sorted((directory / "task" / "work" / "run").glob("gateway-*.sock"))


def _account_of(path: Path) -> str:
    """Return what a process of the gateway lacks: it is asked through its own socket."""
    connection = http.client.HTTPConnection("localhost", timeout=SECONDS)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.settimeout(SECONDS)
    with closing(connection):
        try:
            connection.sock.connect(str(path))
            connection.request("GET", "/readyz")
            answer = json.loads(connection.getresponse().read())
            problems = [*_list_unready(answer["checks"]), *_list_lacking(answer.get("notices", {}))]
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            return f"It does not answer ({_error_reason(error)})."
    return " ".join(problems)


def _list_unready(checks: dict[str, str]) -> Iterator[str]:
    for name, result in checks.items():
        if result != "ok":
            yield f"It cannot reach {name}: {result}."


def _list_lacking(notices: dict[str, str]) -> Iterator[str]:
    for name, notice in notices.items():
        if notice != "ok":
            yield f"Its {name.replace('_', ' ')} {notice}."


def _socket_problem(path: Path) -> str:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(SECONDS)
        try:
            connection.connect(str(path))
        except OSError as error:
            return f"It takes no connection ({_error_reason(error)})."
    return ""


def _error_reason(error: Exception) -> str:
    cause = getattr(error, "reason", error)
    return str(getattr(cause, "strerror", None) or cause or type(cause).__name__)
