"""The HTTP server in front of the application: granian on a Unix socket, one worker."""

from collections.abc import Callable
from pathlib import Path

from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
from granian.log import LogLevels

from vitrine.deliver.application import Application
from vitrine.deliver.logs import logging_configuration
from vitrine.deliver.service import GatewayService
from vitrine.settings import DeliverSettings


def serve(settings: DeliverSettings, build: Callable[[], GatewayService]) -> None:
    """Serve until SIGTERM, then finish open requests within `shutdown_seconds`.

    `build` runs in the worker, after the fork: clients of the cloud do not survive one.
    """
    socket = Path(settings.work_directory) / "run/gateway.sock"
    socket.parent.mkdir(parents=True, exist_ok=True)
    # What a killed process leaves would keep us from binding.
    socket.unlink(missing_ok=True)
    server = Granian(
        "vitrine.deliver",
        uds=socket,
        uds_permissions=0o666,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        loop=Loops.uvloop,
        websockets=False,
        respawn_failed_workers=True,
        workers_kill_timeout=settings.shutdown_seconds,
        log_level=LogLevels(settings.log_level.lower()),
        log_dictconfig=logging_configuration(settings.log_level),
    )
    # Granian takes an object with __rsgi__ too, which its types do not say.
    server.serve(target_loader=lambda *_: Application(build))  # type: ignore[arg-type]
