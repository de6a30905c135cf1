"""The gateway with all its parts, on ports that somebody else chose."""

from pathlib import Path

from vitrine.deliver.gateway import Gateway
from vitrine.deliver.health import Readiness, store_check, table_check
from vitrine.deliver.iipsrv import Iipsrv
from vitrine.deliver.local_images import LocalImages
from vitrine.deliver.lookup import RecordLookup
from vitrine.deliver.renderer import Renderer
from vitrine.ports import IdentifierTable, ObjectStore
from vitrine.settings import DeliverSettings

MEBIBYTE = 1024 * 1024


class GatewayService:
    """Holds what must be let go of at the end. Belongs to one event loop."""

    def __init__(
        self,
        settings: DeliverSettings,
        *,
        store: ObjectStore,
        table: IdentifierTable,
        renderer: Renderer | None = None,
    ) -> None:
        work = Path(settings.work_directory)
        self._renderer = renderer or Iipsrv(work / "run/renderer.sock", settings.iipsrv_processes)
        self._lookup = RecordLookup(table, settings.identifier_ttl_seconds)
        self._images = LocalImages(store, work / "cache", settings.cache_mebibytes * MEBIBYTE)
        self.gateway = Gateway(
            settings=settings,
            lookup=self._lookup,
            images=self._images,
            renderer=self._renderer,
            readiness=Readiness(
                {
                    "access_masters": store_check(store),
                    "identifiers": table_check(table),
                    "iipsrv": self._renderer.check,
                }
            ),
        )

    async def close(self) -> None:
        """Let go of threads and connections."""
        self._lookup.close()
        self._images.close()
        await self._renderer.close()
