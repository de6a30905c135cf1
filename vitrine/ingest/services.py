"""What the steps of the pipeline work with."""

from dataclasses import dataclass

from vitrine.ingest.limits import Limits
from vitrine.ingest.recipe import Recipe
from vitrine.ports import (
    EventBus,
    FailureQueue,
    IdentifierTable,
    ObjectStore,
    OutcomeTable,
    Pipeline,
)


@dataclass(frozen=True, kw_only=True)
class IngestServices:
    """Ports and parameters, wired in `vitrine.bootstrap`."""

    masters: ObjectStore
    access_masters: ObjectStore
    identifiers: IdentifierTable
    outcomes: OutcomeTable
    events: EventBus
    failures: FailureQueue
    pipeline: Pipeline
    recipe: Recipe
    limits: Limits
