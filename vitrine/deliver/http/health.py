"""Health checks: that this process is alive, and that the services it needs answer."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from vitrine.deliver.http.exchange import Response, json_response
from vitrine.deliver.http.headers import NO_STORE
from vitrine.deliver.single_flight import SingleFlight
from vitrine.errors import ObjectMissing
from vitrine.ports import IdentifierTable, RangedStore

PROBE = "readiness-probe"
"""A key and an identifier that need not exist: "does not exist" is an answer as well."""
_REMEMBERED_SECONDS = 2.0
_TIMEOUT_SECONDS = 4.0

Check = Callable[[], Awaitable[object]]


def alive() -> Response:
    """Return the answer at /healthz: a process that can give it is alive."""
    return json_response(200, {"status": 200}, NO_STORE)


class Readiness:
    """The answer at /readyz: 200 when every check passes, else 503 naming those that do not.

    `notices` and `faults` say what is amiss without making the service unready: a sentence per
    part that does with less, and how often each event was met since the start. `vitrine status`
    prints them.
    """

    def __init__(
        self,
        checks: dict[str, Check],
        notices: dict[str, Callable[[], str]] | None = None,
        faults: Callable[[], dict[str, int]] = dict,
    ) -> None:
        self._checks = checks
        self._notices = notices or {}
        self._faults = faults
        self._flight: SingleFlight[Response] = SingleFlight()
        self._answer: tuple[float, Response] | None = None

    async def respond(self) -> Response:
        """Run the checks, at most every two seconds, and return the answer."""
        if self._answer and time.monotonic() < self._answer[0]:
            return self._answer[1]
        return await self._flight.run("", self._run_checks)

    async def _run_checks(self) -> Response:
        problems = await asyncio.gather(*(_find_problem(check) for check in self._checks.values()))
        results = {
            name: problem or "ok" for name, problem in zip(self._checks, problems, strict=True)
        }
        status = 503 if any(problems) else 200
        document = {
            "status": status,
            "checks": results,
            "notices": {name: notice() or "ok" for name, notice in self._notices.items()},
            "faults": self._faults(),
        }
        response = json_response(status, document, NO_STORE)
        self._answer = time.monotonic() + _REMEMBERED_SECONDS, response
        return response


async def _find_problem(check: Check) -> str:
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            await check()
    except TimeoutError:
        return f"no answer in {_TIMEOUT_SECONDS:g} s"
    except Exception as error:  # any failure is reported here
        return f"{type(error).__name__}: {error}"
    return ""


def store_check(store: RangedStore) -> Check:
    """Return a check that the bucket answers, even if the probe does not exist."""

    def read_probe() -> None:
        try:
            store.head(PROBE)
        except ObjectMissing:
            return

    return lambda: asyncio.to_thread(read_probe)


def table_check(table: IdentifierTable) -> Check:
    """Return a check that the table answers."""
    return lambda: asyncio.to_thread(table.get, PROBE)
