"""`python -m vitrine.deliver.function`: the gateway in a Lambda, settings from the environment."""

import asyncio
import logging.config
import os
import time
from pathlib import Path

import uvloop

from vitrine.bootstrap.gateway import (
    access_master_store,
    identifier_table,
    programs_cpu,
    site_store,
)
from vitrine.deliver.function.invocations import answer_forever
from vitrine.deliver.function.runtime_api import RuntimeApi
from vitrine.deliver.http.logs import logging_configuration
from vitrine.deliver.render.iipsrv import SOCKET
from vitrine.deliver.service import GatewayService
from vitrine.settings import DeliverSettings

_IIPSRV_SECONDS = 5.0
"""How long the first event waits for iipsrv, which starts at the same time; Lambda allows 10 s."""


def main() -> None:
    """Answer events until the environment ends."""
    uvloop.run(_serve(RuntimeApi(os.environ["AWS_LAMBDA_RUNTIME_API"])))


async def _serve(api: RuntimeApi) -> None:
    try:
        service = await _start()
    except Exception as error:
        await asyncio.to_thread(api.fail_to_start, error)
        raise
    await answer_forever(service, api)


async def _start() -> GatewayService:
    settings = DeliverSettings.from_environment(os.environ)
    logging.config.dictConfig(logging_configuration(settings.log_level))
    service = GatewayService(
        settings,
        store=access_master_store(settings),
        site=site_store(settings),
        table=identifier_table(settings),
        programs=programs_cpu(settings),
        # A process that Lambda has stopped must not take an old record for a fresh one.
        clock=time.time,
    )
    await _wait_for(Path(settings.work_directory) / SOCKET)
    return service


async def _wait_for(socket: Path) -> None:
    deadline = time.monotonic() + _IIPSRV_SECONDS
    while not socket.exists():
        if time.monotonic() >= deadline:
            raise TimeoutError(f"iipsrv did not start within {_IIPSRV_SECONDS:g} s")
        await asyncio.sleep(0.01)


if __name__ == "__main__":
    main()
