"""Whether this process is alive, and whether what stands behind it answers."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from vitrine.deliver.http.exchange import Response, json_response
from vitrine.deliver.http.headers import NO_STORE
from vitrine.deliver.single_flight import SingleFlight
from vitrine.errors import ObjectMissing
from vitrine.ports import IdentifierTable, ObjectStore

PROBE = "readiness-probe"
"""A key and an identifier that need not exist: a clear "not there" is an answer."""
_REMEMBERED_SECONDS = 2.0
_TIMEOUT_SECONDS = 4.0

Check = Callable[[], Awaitable[object]]


def alive() -> Response:
    """The answer at /healthz: whoever can say it lives."""
    return json_response(200, {"status": 200}, NO_STORE)


class Readiness:
    """The answer at /readyz: 200 when every check passes, else 503 naming those that do not."""

    def __init__(self, checks: dict[str, Check]) -> None:
        self._checks = checks
        self._flight: SingleFlight[Response] = SingleFlight()
        self._answer: tuple[float, Response] | None = None

    async def respond(self) -> Response:
        """Checks run at most every two seconds, however many ask."""
        if self._answer and time.monotonic() < self._answer[0]:
            return self._answer[1]
        return await self._flight.run("", self._ask)

    async def _ask(self) -> Response:
        problems = await asyncio.gather(*(_problem(check) for check in self._checks.values()))
        found = {
            name: problem or "ok" for name, problem in zip(self._checks, problems, strict=True)
        }
        status = 503 if any(problems) else 200
        response = json_response(status, {"status": status, "checks": found}, NO_STORE)
        self._answer = time.monotonic() + _REMEMBERED_SECONDS, response
        return response


async def _problem(check: Check) -> str:
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            await check()
    except TimeoutError:
        return f"no answer in {_TIMEOUT_SECONDS:g} s"
    except Exception as error:  # whatever is wrong, this is the place that tells
        return f"{type(error).__name__}: {error}"
    return ""


def store_check(store: ObjectStore) -> Check:
    """The bucket answers, be it that the probe is not there."""

    def ask() -> None:
        try:
            store.head(PROBE)
        except ObjectMissing:
            return

    return lambda: asyncio.to_thread(ask)


def table_check(table: IdentifierTable) -> Check:
    """The table answers."""
    return lambda: asyncio.to_thread(table.get, PROBE)
