"""Masters whose executions are run in the test's own order, without converting a pixel."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from vitrine.adapters.memory.messaging import MemoryEventBus, MemoryPipeline
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import MasterRejected, SupersededMaster
from vitrine.ingest.messages import IngestMaster, MasterConverted, WithdrawImage
from vitrine.ingest.record_outcome import record_rejection
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import REPLACES_METADATA, StartResult, start_ingest
from vitrine.ingest.steps.publish_image import publish_image
from vitrine.ingest.steps.withdraw_image import withdraw_image
from vitrine.records import Gone, Live
from vitrine.store.layout import SUPERSEDED_TAG, access_master_key, image_version

KEY = "a/nachtwache.tif"
IDENTIFIER = "nachtwache"


class FollowedMasters:
    """A curator who uploads and deletes, events about it, and a state machine run step by step."""

    def __init__(self, services: IngestServices) -> None:
        self.services = services
        self.ran: set[str] = set()

    @property
    def masters(self) -> MemoryObjectStore:
        assert isinstance(self.services.masters, MemoryObjectStore)
        return self.services.masters

    def upload(self, body: bytes = b"1", key: str = KEY) -> None:
        """Without an event."""
        self.masters.put(key, body, content_type="image/tiff")

    def event(self, key: str = KEY, redrives: str = "") -> StartResult:
        return start_ingest(self.services, key, redrives)

    def started(self) -> list[IngestMaster]:
        """Executions that nobody has run yet."""
        waiting = self._waiting(self.services.pipeline)
        return [IngestMaster.from_json(request) for request in waiting]

    def withdrawing(self) -> list[WithdrawImage]:
        """Withdrawals whose grace period runs."""
        waiting = self._waiting(self.services.withdrawals)
        return [WithdrawImage.from_json(request) for request in waiting]

    def convert(self, request: IngestMaster) -> MasterConverted:
        """An access master of one byte, new unless one is there that will not expire."""
        recipe = self.services.recipe.label
        version = image_version(request.master_etag, recipe)
        key = access_master_key(request.identifier, version)
        metadata = {"recipe": recipe}
        self.services.access_masters.put(key, b"1", content_type="image/tiff", metadata=metadata)
        return converted(request, version, key)

    def run(self) -> None:
        """Let all waiting executions come to their end."""
        for request in self.started():
            self.ran.add(request.execution)
            self.publish(self.convert(request))

    def publish(self, request: MasterConverted) -> str:
        """The last step and what the machine makes of its errors; how it ended."""
        self.ran.add(request.execution)
        try:
            publish_image(self.services, request)
        except SupersededMaster:
            return "superseded"
        except MasterRejected as error:
            record_rejection(self.services, request, error.rejection)
            return error.rejection.code
        return "published"

    def grace_ends(self) -> list[str]:
        """Let all waiting withdrawals come to their end; how each ended."""
        ended = []
        for request in self.withdrawing():
            self.ran.add(request.execution)
            try:
                withdraw_image(self.services, request)
                ended.append("withdrawn")
            except SupersededMaster:
                ended.append("kept")
        return ended

    def publish_one(self, body: bytes = b"1", key: str = KEY) -> Live:
        """From upload to image."""
        self.upload(body, key)
        self.event(key)
        self.run()
        outcome = self.services.outcomes.get(key)
        assert outcome is not None
        image = self.services.identifiers.get(outcome.identifier)
        assert isinstance(image, Live)
        return image

    def state(self, key: str = KEY) -> str:
        outcome = self.services.outcomes.get(key)
        return outcome.state if outcome else ""

    def answer(self, identifier: str = IDENTIFIER) -> str:
        """live, gone, or nothing known."""
        match self.services.identifiers.get(identifier):
            case Live():
                return "live"
            case Gone():
                return "gone"
            case _:
                return ""

    def events(self) -> list[str]:
        assert isinstance(self.services.events, MemoryEventBus)
        return [name for name, _ in self.services.events.events]

    def superseded(self) -> set[str]:
        """Access masters that are tagged to expire."""
        store = self.services.access_masters
        keys = [entry.key for entry in store.list_keys().entries]
        return {key for key in keys if store.tags(key) == SUPERSEDED_TAG}

    def _waiting(self, pipeline: Any) -> list[dict[str, Any]]:
        assert isinstance(pipeline, MemoryPipeline)
        executions = pipeline.executions.items()
        return [request for name, request in executions if name not in self.ran]


def converted(request: IngestMaster, version: str, key: str) -> MasterConverted:
    """What the conversion of a master of 256 x 256 pixels would say."""
    return MasterConverted(
        **asdict(request),
        width=256,
        height=256,
        version=version,
        access_master_key=key,
        access_master_bytes=1,
        tile_width=256,
        tile_height=256,
        levels=[[256, 256]],
        samples=[],
        metadata_digest="",
    )


def publish_upload(
    services: IngestServices,
    key: str,
    identifier: str,
    metadata: Mapping[str, str] = {},
    previous: Sequence[str] = (),
) -> None:
    """Upload a master and publish it; `previous` are identifiers that it had before, last first."""
    master = services.masters.put(key, b"", content_type="image/tiff", metadata=metadata)
    request = IngestMaster(
        master_key=key,
        master_version=master.version,
        master_etag=master.etag,
        master_bytes=0,
        master_modified=master.modified,
        identifier=identifier,
        previous_identifiers=[*previous],
        published_as=previous[0] if previous else "",
        replaces=metadata.get(REPLACES_METADATA, ""),
    )
    pyramid = f"00/{identifier}.tif"
    services.access_masters.put(pyramid, b"", content_type="image/tiff")
    publish_image(services, converted(request, "0123456789abcdef", pyramid))
