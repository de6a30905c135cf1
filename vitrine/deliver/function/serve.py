"""The process of a Lambda: it starts, says so if it cannot, and answers events."""

import asyncio
import logging.config
import os
import time
from collections.abc import Callable
from pathlib import Path

from vitrine.deliver.function.invocations import answer_forever
from vitrine.deliver.function.runtime_api import RuntimeApi
from vitrine.deliver.http.logs import logging_configuration
from vitrine.deliver.render.iipsrv import SOCKET
from vitrine.deliver.service import GatewayService
from vitrine.settings.deliver import DeliverSettings

_IIPSRV_SECONDS = 5.0
"""Seconds for which the first event waits for iipsrv, which starts at the same time; Lambda allows
10 s."""


async def serve_events(make_service: Callable[[DeliverSettings], GatewayService]) -> None:
    """Answer the events of Lambda's Runtime API until the environment ends.

    Raises what kept it from starting, after telling Lambda.
    """
    api = RuntimeApi(os.environ["AWS_LAMBDA_RUNTIME_API"])
    try:
        settings = DeliverSettings.from_environment(os.environ)
        logging.config.dictConfig(logging_configuration(settings.log_level))
        service = make_service(settings)
        await _wait_for(Path(settings.work_directory) / SOCKET)
    except Exception as error:
        await asyncio.to_thread(api.fail_to_start, error)
        raise
    await answer_forever(service, api)


async def _wait_for(socket: Path) -> None:
    deadline = time.monotonic() + _IIPSRV_SECONDS
    while not socket.exists():
        if time.monotonic() >= deadline:
            raise TimeoutError(f"iipsrv did not start within {_IIPSRV_SECONDS:g} s")
        await asyncio.sleep(0.01)
