"""The ports of the steps that record how an execution ended."""

from dataclasses import dataclass

from vitrine.ports import EventBus, IdentifierTable, MessageQueue, OutcomeTable, VersionedStore


@dataclass(frozen=True, kw_only=True)
class OutcomeServices:
    """Ports, wired in `vitrine.bootstrap`; recording an outcome takes no others."""

    masters: VersionedStore
    access_masters: VersionedStore
    identifiers: IdentifierTable
    outcomes: OutcomeTable
    events: EventBus
    failures: MessageQueue
