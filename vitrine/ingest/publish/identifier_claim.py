"""A master's claim to its identifier, checked against what curators decided.

Checked before anything is converted, and again by the step that publishes: an image may be
withdrawn, or another one renamed, while a master is converted, waits or is redriven.

A curator may permit one master to replace one tombstone or redirect. The permission is object
metadata of the master and names the record by identifier and revision, so whatever changes that
identifier later ends it: a second withdrawal ends a restoration in progress.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from vitrine.errors import IdentifierRefused
from vitrine.identify.redirects.chains import follow_chain
from vitrine.identify.tombstone import curator_tombstone
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.rejections import (
    identifier_redirects,
    identifier_taken,
    identifier_withdrawn,
)
from vitrine.ports import IdentifierTable
from vitrine.records import Gone, Live, Record, Redirect, Removed
from vitrine.store.layout import identifier_digest

if TYPE_CHECKING:
    from vitrine.identify.register import Register


def check_claim(table: IdentifierTable, request: IngestMaster) -> None:
    """Raise MasterRejected if the master may not have its identifier.

    The codes are identifier-taken, identifier-redirects and identifier-withdrawn.
    """
    check_record(table, request, table.get(request.identifier))


def check_record(table: IdentifierTable, request: IngestMaster, current: Record | None) -> None:
    """Raise MasterRejected if `current`, the identifier's record, is kept from this master."""
    if isinstance(current, Gone | Redirect) and _is_permitted(request, current):
        return
    match current:
        case Live() if current.master_key != request.master_key:
            raise identifier_taken(request.identifier, current.master_key, request.master_key)
        case Gone(by_curator=True):
            raise identifier_withdrawn(request.identifier, current.reason)
        case Redirect() if not redirects_to_image_of(table.get, current, request.master_key):
            raise identifier_redirects(request.identifier, current.target)


def check_withdrawal(register: "Register", request: IngestMaster) -> None:
    """Raise MasterRejected if a curator withdrew the master's last image, under any identifier.

    Otherwise a manifest with other identifiers, or a rename in progress, would bring it back.
    """
    names = {*request.previous_identifiers, request.published_as} - {"", request.identifier}
    if not names and not isinstance(register.table.get(request.identifier), Removed):
        return  # `check_record` decides
    names.add(request.identifier)
    tombstone = curator_tombstone(register.journal, sorted(names), request.master_key)
    if tombstone and not _is_permitted(request, tombstone):
        raise identifier_withdrawn(tombstone.identifier, tombstone.reason)


def redirects_to_image_of(
    get: Callable[[str], Record | None], redirect: Redirect, master_key: str
) -> bool:
    """Return True if `redirect` ends at a live image of this master; `get` reads records."""
    try:
        _, end = follow_chain(get, redirect.target, away_from=redirect.identifier)
    except IdentifierRefused:  # a circle
        return False
    return isinstance(end, Live) and end.master_key == master_key


def permit_replacement(*records: Record | None) -> str:
    """Return what lets a master replace these tombstones and redirects, "" without any."""
    return " ".join(_record_name(item) for item in records if isinstance(item, Gone | Redirect))


def _is_permitted(request: IngestMaster, record: Record) -> bool:
    return _record_name(record) in request.replaces.split()


def _record_name(record: Record) -> str:
    return f"{identifier_digest(record.identifier)[:16]}.{record.revision}"
