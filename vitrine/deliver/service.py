"""The gateway with all its parts, over the ports that the caller chose."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from vitrine.deliver.answer.admission import TicketAdmission
from vitrine.deliver.answer.ceilings import Ceilings
from vitrine.deliver.answer.derivative_disk import DERIVATIVES, TILES, DerivativeDisk
from vitrine.deliver.answer.embedding import Embedding
from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.answer.images import Images
from vitrine.deliver.answer.lookup import RecordLookup
from vitrine.deliver.answer.page_pictures import PagePictures
from vitrine.deliver.answer.page_texts import PageTexts
from vitrine.deliver.answer.publications import Publications
from vitrine.deliver.answer.rules_watch import RulesWatch
from vitrine.deliver.answer.whole_image import WholeImages
from vitrine.deliver.blocks.cache import MEMORY_BYTES, BlockCache
from vitrine.deliver.embed.tiles import tile_segments_reader
from vitrine.deliver.http.faults import Faults
from vitrine.deliver.http.health import Readiness, store_check, table_check
from vitrine.deliver.metrics.counters import Counters, Samples, name_sample
from vitrine.deliver.metrics.program_cpu import read_programs
from vitrine.deliver.metrics.reporter import Programs, Reporter
from vitrine.deliver.pyramids.pyramids import Pyramids
from vitrine.deliver.render.iipsrv import SOCKET, Iipsrv
from vitrine.deliver.render.rendering import Rendering, RenderingSize
from vitrine.deliver.render.shared_load import ProcessLoad, SharedLoad
from vitrine.deliver.tiles.pass_through import PassThrough
from vitrine.ports import IdentifierTable, ObjectStore, RangedStore
from vitrine.settings.deliver import DeliverSettings
from vitrine.store.rights_table import RightsTable
from vitrine.store.ticket_keys import CachedTicketKeys

MEBIBYTE = 1024 * 1024
WAITING = 256
"""Small renders that may wait, about 10 ms each; more are rejected."""
LARGE_WAITING = 64
"""Large renders that may wait, and huge ones of a quarter of a second each: their patience ends
before the queue is full."""
LARGE_MEMORY_BYTES = 512 * MEBIBYTE


class GatewayService:
    """Owns the threads and connections of a gateway. Belongs to one event loop."""

    def __init__(
        self,
        settings: DeliverSettings,
        *,
        store: RangedStore,
        site: ObjectStore,
        table: IdentifierTable,
        records: ObjectStore,
        rendering: Rendering | None = None,
        programs: Programs | None = None,
        load: ProcessLoad | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`store` has the access masters, `site` what was published of objects, `records` the keys
        of tickets.

        `load` is that of the gateway's process that this is the service of. By `clock`, in seconds,
        records and copies of access masters expire.
        """
        load = load or SharedLoad().load(1)
        work = Path(settings.work_directory)
        self._counters = counters = Counters()
        faults = Faults()
        self._rendering = rendering or _rendering(settings, work, counters, faults, load)
        kept = DERIVATIVES if settings.derivative_cache_mebibytes else TILES
        derivative_disk = DerivativeDisk(Path(settings.memory_directory) / kept, faults.report)
        self._lookup = RecordLookup(
            table,
            settings.identifier_ttl_seconds,
            clock,
            faults=faults,
            counters=counters,
            rules=RulesWatch(records, settings.identifier_ttl_seconds, clock, faults),
        )
        self._publications = Publications(site, faults)
        ceilings = Ceilings(settings, load, counters)
        self._blocks = _block_cache(
            settings, store, load.process, clock, ceilings, counters, faults
        )
        self.reporter = Reporter(
            counters,
            work,
            environment=settings.environment_name,
            process=load.process,
            programs=programs or partial(read_programs, work),
        )
        self._watch(faults, derivative_disk)
        images, whole_images, page_pictures = self._images(settings)
        self.gateway = Gateway(
            settings=settings,
            lookup=self._lookup,
            images=images,
            whole_images=whole_images,
            page_pictures=page_pictures,
            page_texts=PageTexts(site, faults),
            publications=self._publications,
            readiness=self._readiness(store, table, derivative_disk, faults),
            derivative_disk=derivative_disk,
            ceilings=ceilings,
            counters=counters,
            metrics=self.reporter.respond,
            admission=TicketAdmission(CachedTicketKeys(records), rights=RightsTable(records)),
        )

    def _images(self, settings: DeliverSettings) -> tuple[Images, WholeImages, PagePictures]:
        pyramids, embedding = Pyramids(self._blocks), Embedding()
        images = Images(
            pyramids=pyramids,
            tiles=PassThrough(tile_segments_reader(settings.tile_metadata)),
            rendering=self._rendering,
            embedding=embedding,
            counters=self._counters,
        )
        whole_images = WholeImages(
            pyramids, self._rendering, embedding, answer_seconds=settings.answer_seconds
        )
        return images, whole_images, PagePictures(pyramids, self._rendering, images)

    def _readiness(
        self,
        store: RangedStore,
        table: IdentifierTable,
        derivative_disk: DerivativeDisk,
        faults: Faults,
    ) -> Readiness:
        return Readiness(
            {
                "access_masters": store_check(store),
                "identifiers": table_check(table),
                "iipsrv": self._rendering.check,
            },
            notices={
                "block_cache": lambda: self._blocks.problem,
                "derivative_cache": lambda: derivative_disk.problem,
            },
            faults=faults.counts,
        )

    def _watch(self, faults: Faults, derivative_disk: DerivativeDisk) -> None:
        """Have the parts read that keep numbers of their own."""

        def count_faults() -> Samples:
            counts = faults.counts().items()
            return {name_sample("faults_total", event=event): count for event, count in counts}

        self._counters.watch_all(count_faults)
        self._counters.watch("block_cache_bytes", lambda: self._blocks.used_bytes)
        self._counters.watch(
            "unwritable_caches",
            lambda: bool(self._blocks.problem) + bool(derivative_disk.problem),
        )

    async def close(self) -> None:
        """Stop the threads and close the connections."""
        self.reporter.close()
        self._lookup.close()
        self._publications.close()
        self._blocks.close()
        await self._rendering.close()


def _block_cache(
    settings: DeliverSettings,
    store: RangedStore,
    process: int,
    clock: Callable[[], float],
    ceilings: Ceilings,
    counters: Counters,
    faults: Faults,
) -> BlockCache:
    return BlockCache(
        store,
        # No two processes write to the same files: nginx sends an image to one of them.
        Path(settings.work_directory) / "cache" / str(process),
        settings.cache_mebibytes * MEBIBYTE // settings.gateway_processes,
        memory_bytes=MEMORY_BYTES // settings.gateway_processes,
        revalidate_seconds=settings.access_master_ttl_seconds,
        clock=clock,
        report=faults.report,
        counters=counters,
        note_read=ceilings.note_read,
    )


def _rendering(
    settings: DeliverSettings, work: Path, counters: Counters, faults: Faults, load: ProcessLoad
) -> Rendering:
    cores = settings.render_cores
    size = RenderingSize(
        cores=cores,
        waiting=WAITING,
        # The other cores are for tiles.
        large_renders=max(1, cores // 2),
        large_waiting=LARGE_WAITING,
        large_memory_bytes=LARGE_MEMORY_BYTES,
    )
    iipsrv = Iipsrv(
        work / SOCKET,
        work / "cache",
        settings.iipsrv_processes,
        faults.report,
        answer_seconds=settings.answer_seconds,
    )
    return Rendering(iipsrv, size, counters, load)
