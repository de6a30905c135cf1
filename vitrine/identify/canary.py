"""The canary: one record by which a reader tells an empty or half restored table from a whole one.

An identifier is never deleted, so a table without the canary has lost what it held. What knows
that a table is whole plants it: the rebuild when it is done, and the reconciler while no identifier
was ever journaled. An ordinary change never does: the first one after a loss would vouch for all.
"""

from contextlib import suppress

from vitrine.errors import PreconditionFailed
from vitrine.ports import IdentifierTable, VersionedStore
from vitrine.records import Removed
from vitrine.store.layout import JOURNAL
from vitrine.store.revisions import has_entries

CANARY_IDENTIFIER = "./canary"
"""No image can have this name: it contains a "." segment."""
CANARY = Removed(identifier=CANARY_IDENTIFIER, revision=1, changed_at="1970-01-01T00:00:00.000Z")


def plant_canary(table: IdentifierTable) -> None:
    """Mark the table as whole. Raises TransientError."""
    with suppress(PreconditionFailed):  # it is there
        table.write(CANARY, None)


def guard_table(table: IdentifierTable, records: VersionedStore) -> bool:
    """Return True if the table is whole; mark it if the journal of `records` is empty as well.

    If this returns False, the table has to be rebuilt from its journal. Raises TransientError.
    """
    if table.get(CANARY_IDENTIFIER):
        return True
    if has_entries(records, JOURNAL):
        return False
    plant_canary(table)
    return True
