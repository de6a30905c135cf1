"""A gateway that knows nothing yet, and what its answers cost the store."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyvips

from rigs.object_server.read_ledger import Summary, summarise_reads
from rigs.object_server.server_process import RunningStore
from tests.rigs.iipsrv_pool import iipsrv_pool
from tests.rigs.image_addresses import address
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.http.exchange import Request, Response
from vitrine.deliver.service import GatewayService
from vitrine.errors import VitrineError
from vitrine.identify.canary import CANARY
from vitrine.ports import ObjectStore
from vitrine.records import Live
from vitrine.settings.deliver import DeliverSettings


class ColdGateway:
    """Our gateway over the running store's S3: each visit meets one with an empty cache.

    The gateway runs in this process, without nginx. iipsrv renders what it fetched.
    """

    def __init__(self, running: RunningStore, images: Sequence[Live]) -> None:
        self._running = running
        self._store: ObjectStore = running.store()
        self._images = images

    async def visit(self, image: Live, parameters: Sequence[str]) -> Summary:
        """Ask for all of these at once. Raises VitrineError when an answer is not right."""
        with tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
            work = Path(folder)
            with iipsrv_pool(work):
                answers = await self._ask_all(work, image, parameters)
            reads = [read for read in self._running.reads() if read.key == image.access_master_key]
        for item, answer in zip(parameters, answers, strict=True):
            _check(item, answer)
        return summarise_reads(reads)

    async def _ask_all(self, work: Path, image: Live, parameters: Sequence[str]) -> list[Response]:
        service = self._service(work)
        self._running.forget()
        try:
            return await asyncio.gather(
                *(_ask(service, address(image, item)) for item in parameters)
            )
        finally:
            await service.close()

    def _service(self, work: Path) -> GatewayService:
        settings = DeliverSettings(
            access_masters_bucket="unused",
            site_bucket="unused",
            identifiers_table="unused",
            work_directory=str(work),
            derivative_cache_mebibytes=0,
            tile_cache_mebibytes=0,
        )
        table = MemoryIdentifierTable(CANARY, *self._images)
        return GatewayService(
            settings,
            store=self._store,
            site=MemoryObjectStore(),
            table=table,
            records=MemoryObjectStore(),
        )


async def _ask(service: GatewayService, path: str) -> Response:
    return await service.gateway.respond(
        Request(method="GET", path=path, headers={"host": "localhost"})
    )


def _check(parameters: str, answer: Response) -> None:
    if answer.status != 200:
        raise VitrineError(f"{parameters}: {answer.status} {answer.body[:200]!r}")
    if parameters.endswith(".jpg"):
        try:
            pyvips.Image.new_from_buffer(answer.body, "", fail_on="warning").avg()
        except pyvips.Error as error:
            raise VitrineError(f"{parameters}: no whole JPEG") from error
