"""The gateway as a process: a Unix socket that nginx connects to, one event loop, a clean end."""

import asyncio
import logging.config
import os
import signal
from collections.abc import Callable
from pathlib import Path

import uvloop

from vitrine.deliver.http.connection import Connections
from vitrine.deliver.http.logs import logging_configuration
from vitrine.deliver.service import GatewayService
from vitrine.settings import DeliverSettings

_BACKLOG = 2048
_QUIET_SECONDS = 0.5
"""Without a request, after which nginx is taken to be done."""
_LOOK_SECONDS = 0.05

logger = logging.getLogger(__name__)


def serve(settings: DeliverSettings, build: Callable[[], GatewayService]) -> None:
    """Serve until SIGTERM or SIGINT, then finish requests within `shutdown_seconds` and exit.

    `build` runs within the event loop.
    """
    logging.config.dictConfig(logging_configuration(settings.log_level))
    uvloop.run(_serve(settings, build))


async def _serve(settings: DeliverSettings, build: Callable[[], GatewayService]) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    service = build()
    connections = Connections(service.gateway)
    server = await loop.create_unix_server(
        connections.accept,
        _free(Path(settings.work_directory) / "run/gateway.sock"),
        backlog=_BACKLOG,
    )
    logger.info("serving")
    await stop.wait()
    await _drain(connections, settings.shutdown_seconds)
    server.close()
    await service.close()
    logger.info("ended")
    logging.shutdown()
    # Threads that still wait for S3 or render for nobody would hold up the end.
    os._exit(0)


def _free(socket: Path) -> str:
    """The address, after what a killed process left there, and which would keep us from it."""
    socket.parent.mkdir(parents=True, exist_ok=True)
    socket.unlink(missing_ok=True)
    return str(socket)


async def _drain(connections: Connections, seconds: float) -> None:
    """Wait until nothing is under way and nothing comes any more, `seconds` at most.

    nginx is told to stop when we are, and finishes what it has begun: new requests on its
    connections belong to that.
    """
    loop = asyncio.get_running_loop()
    deadline, quiet, seen = loop.time() + seconds, 0.0, connections.requests
    while quiet < _QUIET_SECONDS and loop.time() < deadline:
        await asyncio.sleep(_LOOK_SECONDS)
        still = connections.requests == seen and not connections.under_way
        seen, quiet = connections.requests, quiet + _LOOK_SECONDS if still else 0.0
