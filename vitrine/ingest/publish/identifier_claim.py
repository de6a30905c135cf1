"""A master's claim to its identifier, checked against what curators decided.

Checked before anything is converted, and again by the step that publishes: an image may be
withdrawn, or another one renamed, while a master is converted, waits or is redriven.

A curator may permit one master to replace one tombstone or redirect. The permission is object
metadata of the master and names the record by identifier and revision, so whatever changes that
identifier later ends it: a second withdrawal ends a restoration in progress.
"""

from collections.abc import Callable, Iterable
from functools import partial

from vitrine.errors import IdentifierRefused, ObjectMissing, SupersededMaster
from vitrine.identify.journal import Journal
from vitrine.identify.owners import has_other_owner, may_replace_master, owner_of_master
from vitrine.identify.redirects.chains import follow_chain
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.rejections import (
    identifier_owned,
    identifier_redirects,
    identifier_taken,
    identifier_withdrawn,
    master_deleted,
)
from vitrine.ingest.services import IngestServices
from vitrine.ports import IdentifierTable
from vitrine.records import Gone, Live, Record, Redirect, Removed
from vitrine.store.clock import now
from vitrine.store.layout import identifier_digest


def check_claim(services: IngestServices, request: IngestMaster) -> None:
    """Raise MasterRejected if the master may not have its identifier.

    The codes are identifier-taken, identifier-redirects and identifier-withdrawn.
    """
    owner, table = owner_of_master(services.records, request.master_key), services.identifiers
    check_record(table, request, owner, table.get(request.identifier))


def check_record(
    table: IdentifierTable, request: IngestMaster, owner: str, current: Record | None
) -> None:
    """Raise MasterRejected if `current`, the identifier's record, is kept from this master.

    No permission in the master's metadata reaches what another collection owns.
    """
    check_owner(request.identifier, request.master_key, owner, current)
    if isinstance(current, Gone | Redirect) and _is_permitted(request, current):
        return
    match current:
        case Gone(by_curator=True):
            raise identifier_withdrawn(request.identifier, current.reason)
        case Redirect() if not redirects_to_image_of(table.get, current, request.master_key):
            raise identifier_redirects(request.identifier, current.target)


def check_owner(identifier: str, master_key: str, owner: str, current: Record | None) -> None:
    """Raise MasterRejected if `current` is the image of another master, or of another owner."""
    if current is not None and has_other_owner(current, owner):
        raise identifier_owned(identifier, current.owner, owner, master_key)
    if isinstance(current, Live) and not may_replace_master(current, master_key, owner):
        raise identifier_taken(identifier, current.master_key, master_key)


def check_newest(services: IngestServices, request: IngestMaster) -> None:
    """Raise SupersededMaster if the store holds another version, MasterRejected if it has none."""
    try:
        newest = services.masters.head(request.master_key)
    except ObjectMissing as error:
        raise master_deleted(request.master_key) from error
    if newest.version != request.master_version:
        raise SupersededMaster(f"{request.master_key}: {newest.version} is newer")


def check_not_withdrawn(services: IngestServices, request: IngestMaster) -> None:
    """Raise MasterRejected if a curator withdrew the master's last image, under any identifier.

    Otherwise a manifest with other identifiers, or a rename in progress, would bring it back. An
    earlier try, or this one, may have published it before the withdrawal could be seen: then it is
    withdrawn here as well.
    """
    names = {*request.previous_identifiers, request.published_as} - {"", request.identifier}
    register = services.register
    if not names and not isinstance(register.table.get(request.identifier), Removed):
        return  # `check_record` decides
    names.add(request.identifier)
    tombstone = curator_tombstone(register.journal, sorted(names), request.master_key)
    if tombstone and not _is_permitted(request, tombstone):
        register.change(request.identifier, partial(_take_back, request, tombstone.reason))
        raise identifier_withdrawn(tombstone.identifier, tombstone.reason)


def _take_back(request: IngestMaster, reason: str, current: Record | None) -> Gone | None:
    """Withdraw the image of this version of the master, as an edit."""
    if not isinstance(current, Live) or current.master_key != request.master_key:
        return None
    if current.master_version != request.master_version:
        return None
    return Gone(identifier=current.identifier, reason=reason, changed_at=now())


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


def curator_tombstone(journal: Journal, identifiers: Iterable[str], master_key: str) -> Gone | None:
    """Return the tombstone that a curator made of the master's last image under any identifier.

    None if there was no such image, or the last one was not withdrawn. Another image, or a
    redirect, may have taken the tombstone's place since.
    """
    last, found = "", None
    for identifier in identifiers:
        published_at, tombstone = _last_image(journal, identifier, master_key)
        if published_at > last:
            last, found = published_at, tombstone
    return found


def _last_image(journal: Journal, identifier: str, master_key: str) -> tuple[str, Gone | None]:
    """Return when the master's last image there was published, "" if never, and its tombstone."""
    published_at, tombstone, is_own = "", None, False
    for record in journal.history(identifier):
        if isinstance(record, Live):
            is_own = record.master_key == master_key
            if is_own:
                published_at, tombstone = record.published_at, None
        elif is_own and isinstance(record, Gone) and record.by_curator:
            tombstone = record
    return published_at, tombstone
