"""Services that die at one of their calls, before it or after: a step done, its answer lost."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from vitrine.errors import TransientError
from vitrine.ingest.services import IngestServices

PORTS = ("masters", "access_masters", "records", "identifiers", "outcomes", "events", "pipeline")


class Crash:
    """The call with this number fails, of all calls of all ports; if `late`, once it is done."""

    def __init__(self, number: int, late: bool) -> None:
        self._left, self._late = number, late

    def over(self, services: IngestServices) -> IngestServices:
        """Return the services, which die at that call."""
        ports = {name: _Dying(getattr(services, name), self) for name in PORTS}
        return replace(services, **ports)  # type: ignore[arg-type]

    def call(self, method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        self._left -= 1
        if self._left == 0 and not self._late:
            raise TransientError("killed before a call")
        result = method(*arguments, **named)
        if self._left == 0:
            raise TransientError("killed after a call")
        return result


class _Dying:
    def __init__(self, port: Any, crash: Crash) -> None:
        self._port, self._crash = port, crash

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._port, name)
        if not callable(attribute):
            return attribute
        return lambda *arguments, **named: self._crash.call(attribute, *arguments, **named)
