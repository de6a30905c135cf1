"""The whole ingest in memory: for tests, and for code that uses Vitrine without a deployment.

docs/howto/ingest-in-memory.md shows how it is used.
"""

from dataclasses import dataclass, field

from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryEventBus, MemoryPipeline, MemoryQueue
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.adapters.memory.outcome_table import MemoryOutcomeTable
from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.recipe import STANDARD, Recipe
from vitrine.ingest.record_outcome import record_rejection
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import start_ingest
from vitrine.ingest.steps.check_master import check_master
from vitrine.ingest.steps.convert_master import convert_master
from vitrine.ingest.steps.publish_image import publish_image
from vitrine.ingest.steps.verify_access_master import verify_access_master
from vitrine.records import Outcome


@dataclass(frozen=True, kw_only=True)
class MemoryIngestServices(IngestServices):
    """Services whose ports are all in memory; masters of at most 10 megapixels and 64 MiB.

    Any port or parameter can be replaced by an argument.
    """

    masters: MemoryObjectStore = field(default_factory=MemoryObjectStore)
    access_masters: MemoryObjectStore = field(default_factory=MemoryObjectStore)
    records: MemoryObjectStore = field(default_factory=MemoryObjectStore)
    identifiers: MemoryIdentifierTable = field(default_factory=MemoryIdentifierTable)
    outcomes: MemoryOutcomeTable = field(default_factory=MemoryOutcomeTable)
    events: MemoryEventBus = field(default_factory=MemoryEventBus)
    failures: MemoryQueue = field(default_factory=MemoryQueue)
    pipeline: MemoryPipeline = field(default_factory=MemoryPipeline)
    withdrawals: MemoryPipeline = field(default_factory=MemoryPipeline)
    recipe: Recipe = STANDARD
    limits: MasterLimits = field(
        default_factory=lambda: MasterLimits(pixels=10_000_000, bytes=64 * 1024 * 1024)
    )

    def ingest(self, master_key: str) -> Outcome | None:
        """Ingest the newest version of a master; return the outcome, None without such a master.

        A version that was ingested before is not converted again.
        """
        start_ingest(self, master_key)
        for name in self.pipeline.executions.keys() - self.pipeline.ended:
            self._run_execution(name)
        return self.outcomes.get(master_key)

    def _run_execution(self, name: str) -> None:
        """Do what the state machine does, giants included, in this process."""
        request = IngestMaster.from_json(self.pipeline.executions[name])
        self.pipeline.ended.add(name)
        try:
            check_master(self, request)
            converted = convert_master(self, request)
            publish_image(self, verify_access_master(self, converted))
        except MasterRejected as error:
            record_rejection(self, request, error.rejection)
