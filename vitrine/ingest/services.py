"""The ports and parameters of the ingest pipeline."""

from dataclasses import dataclass, field

from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.identify.journal import Journal
from vitrine.identify.register import Register
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.outcome_services import OutcomeServices
from vitrine.ingest.recipe import Recipe
from vitrine.ports import Pipeline, VersionedStore


@dataclass(frozen=True, kw_only=True)
class IngestServices(OutcomeServices):
    """Ports and parameters, wired in `vitrine.bootstrap`."""

    records: VersionedStore
    """The journal of identifiers, and catalogue metadata of the images."""
    pipeline: Pipeline
    withdrawals: Pipeline
    """The state machine that withdraws the images of deleted masters."""
    recipe: Recipe
    limits: MasterLimits
    withdrawal_grace_seconds: int = 0
    switch_seconds: int = 0
    """Seconds from its publication until a new version takes the place of the one before it."""
    identifier_rule: IdentifierRule = field(default_factory=IdentifierRule)
    """Rule by which a key becomes an identifier if the master's metadata names none."""

    @property
    def register(self) -> Register:
        """The register, through which identifiers are changed."""
        return Register(self.identifiers, Journal(self.records), self.events)
