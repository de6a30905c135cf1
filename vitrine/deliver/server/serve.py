"""The gateway's processes: each has a Unix socket for nginx, a loop, and an orderly shutdown."""

import asyncio
import logging.config
import os
import signal
from collections.abc import Callable
from pathlib import Path

import uvloop

from vitrine.deliver.http.logs import logging_configuration
from vitrine.deliver.render.shared_load import ProcessLoad, SharedLoad
from vitrine.deliver.server.connection import Connections
from vitrine.deliver.server.processes import BEAT_SECONDS, Beat, Processes, gateway_socket
from vitrine.deliver.service import GatewayService
from vitrine.settings.deliver import DeliverSettings

_BACKLOG = 2048
_QUIET_SECONDS = 0.5
"""Time without a request after which nginx is assumed to have finished."""
_LOOK_SECONDS = 0.05

logger = logging.getLogger(__name__)


Build = Callable[[ProcessLoad], GatewayService]
"""Make the service of the process that has this load, within its event loop."""


def serve(settings: DeliverSettings, build: Build) -> None:
    """Serve in `gateway_processes` processes until SIGTERM or SIGINT.

    They finish requests within `shutdown_seconds`. Raises NeverServed.
    """
    logging.config.dictConfig(logging_configuration(settings.log_level))

    load = SharedLoad(settings.gateway_processes)

    def work(number: int, beat: Beat) -> None:
        logging.config.dictConfig(logging_configuration(settings.log_level, number))
        uvloop.run(_serve_process(settings, load.load(number), build, beat))

    Processes(settings.gateway_processes, work).run()


async def _serve_process(
    settings: DeliverSettings, load: ProcessLoad, build: Build, beat: Beat
) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signal_number, stop.set)
    service = build(load)
    connections = Connections(service.gateway)
    path = gateway_socket(Path(settings.work_directory), load.process)
    server = await loop.create_unix_server(connections.accept, _free_socket(path), backlog=_BACKLOG)
    beating = loop.create_task(_keep_beating(beat))
    reports = loop.create_task(service.reporter.run())
    logger.info("The gateway is ready to serve.")
    await stop.wait()
    await _drain_connections(connections, settings.shutdown_seconds)
    server.close()
    reports.cancel()
    beating.cancel()
    await service.close()
    logger.info("The gateway has stopped.")
    logging.shutdown()
    # Threads that still wait for S3, or render for clients that left, would delay the exit.
    os._exit(os.EX_OK)


async def _keep_beating(beat: Beat) -> None:
    while True:
        beat()
        await asyncio.sleep(BEAT_SECONDS)


def _free_socket(socket: Path) -> str:
    """Remove the socket that a killed process left behind, and return its address."""
    socket.parent.mkdir(parents=True, exist_ok=True)
    socket.unlink(missing_ok=True)
    return str(socket)


async def _drain_connections(connections: Connections, seconds: float) -> None:
    """Wait until all was answered and taken and nothing arrives any more, at most `seconds`.

    nginx stops at the same time as the gateway, and finishes what it has begun: that may send new
    requests on its connections.
    """
    loop = asyncio.get_running_loop()
    deadline, quiet, seen = loop.time() + seconds, 0.0, connections.requests
    while quiet < _QUIET_SECONDS and loop.time() < deadline:
        await asyncio.sleep(_LOOK_SECONDS)
        still = connections.requests == seen and connections.is_idle
        seen, quiet = connections.requests, quiet + _LOOK_SECONDS if still else 0.0
