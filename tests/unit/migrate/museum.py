"""A service in memory whose executions run when they are started, and a curator's disk."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from vitrine.adapters.memory.foreign_objects import MemoryForeignObjects
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.adapters.memory.messaging import MemoryPipeline
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import IngestUnfinished, MasterRejected, Rejection
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.messages import IngestMaster, MasterConverted
from vitrine.ingest.publish.identifier_claim import check_claim
from vitrine.ingest.record_outcome import record_failure, record_rejection
from vitrine.ingest.services import IngestServices
from vitrine.ingest.steps.publish_image import publish_image
from vitrine.migrate.messages import MigrateMaster
from vitrine.migrate.migrate_master import migrate_master
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.planned_row import PlannedRow, RowResult
from vitrine.migrate.prepare import Collection, prepare_plan
from vitrine.migrate.services import MigrationServices
from vitrine.store.layout import access_master_key, image_version

BUCKET = "museum-masters"
BROKEN, UNLUCKY = b"broken", b"unlucky"
"""Masters that are rejected, and that fail."""
EARLY, LATE = "2000-01-01T00:00:00.000Z", "2100-01-01T00:00:00.000Z"


class Running(MemoryPipeline):
    """Runs each execution to its end before the next call, unless it is `held`."""

    services: IngestServices
    held = False

    def __init__(self) -> None:
        super().__init__()
        self.converted: list[str] = []

    def start(self, name: str, request: Any) -> bool:
        started = super().start(name, request)
        if started and not self.held:
            self.run(IngestMaster.from_json(dict(request)))
        return started

    def run(self, request: IngestMaster) -> None:
        body, _ = self.services.masters.get(request.master_key)
        try:
            check_claim(self.services, request)
            if body == BROKEN:
                raise MasterRejected(Rejection("not-an-image", "It is no image.", "broken"))
            if body == UNLUCKY:
                record_failure(self.services, request, {"Error": "Runtime.ExitError"})
                return
            self.converted.append(request.master_key)
            publish_image(self.services, self._converted(request))
        except MasterRejected as error:
            record_rejection(self.services, request, error.rejection)

    def _converted(self, request: IngestMaster) -> MasterConverted:
        version = image_version(request.master_etag, "recipe")
        key = access_master_key(request.identifier, version)
        self.services.access_masters.put(key, b"1234", content_type="")
        return MasterConverted(
            **asdict(request),
            width=200,
            height=100,
            version=version,
            access_master_key=key,
            access_master_bytes=4,
            tile_width=256,
            tile_height=256,
            levels=[[200, 100]],
            samples=[],
            metadata_digest="",
        )


class Museum:
    """A museum: `folder` is the curator's disk, `services` are those of the migration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pipeline = Running()
        self.masters = MemoryObjectStore()
        ingest = MemoryIngestServices(
            masters=self.masters,
            pipeline=self.pipeline,
            limits=MasterLimits(pixels=1_000_000, bytes=1_000_000),
        )
        self.pipeline.services = ingest
        self.foreign = MemoryForeignObjects(self.masters)
        self.services = MigrationServices(
            ingest=ingest, masters_bucket=BUCKET, foreign=self.foreign
        )
        self.ingest = ingest

    def put(self, key: str, body: bytes = b"1", **metadata: str) -> None:
        """Put a master into the masters bucket."""
        self.masters.put(key, body, content_type="", metadata=metadata)

    def file(self, name: str, body: bytes = b"1") -> Path:
        """Write a file to the disk."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return path

    def manifest(self, text: str | bytes, name: str = "manifest.csv") -> Path:
        return self.file(name, text if isinstance(text, bytes) else text.encode())

    def plan(self, manifest: str, plan: MigrationPlan | None = None) -> MigrationPlan:
        """Return a plan of these rows."""
        plan = plan or MigrationPlan(":memory:")
        prepare_plan(plan, Collection(place=self.manifest(manifest)), "local", self.services)
        return plan

    def planned(self, manifest: str) -> list[PlannedRow]:
        return list(self.plan(manifest).all_waiting())

    def call(self, key: str, identifier: str = "", **more: Any) -> RowResult | None:
        """Call MigrateMaster once; return None while the ingest has not ended."""
        request = MigrateMaster(
            key=key, identifier=identifier, **({"begun_at": EARLY, "tried_at": EARLY} | more)
        )
        try:
            return migrate_master(self.ingest, request)
        except IngestUnfinished:
            return None

    def migrate(self, key: str, identifier: str = "", **more: Any) -> RowResult:
        """Call MigrateMaster until the ingest has ended; return the result."""
        for _ in range(4):
            result = self.call(key, identifier, **more)
            if result:
                return result
        raise AssertionError(f"The ingest of {key} never ends.")

    def live(self) -> dict[str, str]:
        """Return the master keys of all images, by identifier."""
        return {image.identifier: image.master_key for image in self.ingest.identifiers.newest(99)}
