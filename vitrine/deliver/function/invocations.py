"""The loop of a Lambda: one event after another, with one event loop and one gateway for all."""

import asyncio
import logging
from time import perf_counter
from typing import Any, Protocol

from vitrine.deliver.answer.viewer import ADDRESS_HEADER
from vitrine.deliver.function.event import Invocation, compress, encode_response, read_event
from vitrine.deliver.function.runtime_api import Next
from vitrine.deliver.http.exchange import Response
from vitrine.deliver.service import GatewayService

MESSAGE = "What the gateway did for a request."

logger = logging.getLogger(__name__)


class Events(Protocol):
    """Where events come from, and answers go: `RuntimeApi`."""

    def next(self) -> Next:
        """Wait for the next event."""
        ...

    def respond(self, request_id: str, *pieces: bytes) -> None:
        """Stream an answer."""
        ...

    def fail(self, request_id: str, error: Exception) -> None:
        """Say that an event could not be answered."""
        ...


async def answer_forever(service: GatewayService, events: Events) -> None:
    """Answer event after event, until the environment ends. Raises RuntimeApiError.

    While the next event is waited for, Lambda stops the process: nothing goes on in between.
    """
    while True:
        await answer_next(service, events)


async def answer_next(service: GatewayService, events: Events) -> None:
    """Wait for one event, answer it, and log what was done for it. Raises RuntimeApiError.

    An event that is no request of a function URL is said to have failed.
    """
    waiting = await asyncio.to_thread(events.next)
    began = perf_counter()
    try:
        invocation = read_event(waiting.event)
    except (KeyError, TypeError, AttributeError) as error:
        logger.exception("An event is no request of a function URL.")
        await asyncio.to_thread(events.fail, waiting.request_id, error)
        return
    request = invocation.request
    response = compress(request, await service.gateway.respond(request))
    pieces = encode_response(request.method, response)
    await asyncio.to_thread(events.respond, waiting.request_id, *pieces)
    # After each event, since an environment ends without notice.
    fields = _front_door(invocation, response, len(pieces[1]), perf_counter() - began)
    await service.reporter.log_line(MESSAGE, fields)


def _front_door(
    invocation: Invocation, response: Response, size: int, seconds: float
) -> dict[str, Any]:
    """Return the fields that nginx logs of a request of a task."""
    request = invocation.request
    return {
        "viewer": request.headers.get(ADDRESS_HEADER) or "",
        "method": request.method,
        "uri": request.path,
        "status": response.status,
        "bytes": size,
        "seconds": round(seconds, 3),
        "edge_request": invocation.edge_request,
    }
