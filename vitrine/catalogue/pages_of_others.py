"""Which pages of others a change of an object or collection concerns."""

from vitrine.catalogue.collection_titles import CollectionTitles, title_of
from vitrine.catalogue.records import Described, ObjectRecord, painted_images
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.store.publications import Publication, Published
from vitrine.store.revisions import Revisions

ALL = 0
"""In place of a revision: all that was ever shown may be concerned."""


def last_known(was: Publication | None, record: ObjectRecord, *, is_retry: bool) -> int:
    """Return the revision that images' pages were written from, or ALL."""
    # What was an object, if withdrawn by now, has its images lead to it no more.
    becomes_collection = _is_collection(record) and not _was_collection(was)
    return ALL if was is None or is_retry or becomes_collection else was.revision


def joined_or_left(journal: Revisions[ObjectRecord], record: ObjectRecord, since: int) -> set[str]:
    """Return the images that an object shows and did not in the revision `since`, or the reverse.

    Since ALL, those that it ever showed.
    """
    if since == record.revision:
        return set()
    if since == ALL and record.revision > 1:
        return set().union(*map(painted_images, journal.history(record.identifier)))
    replaced = journal.entry(record.identifier, since) if since else None
    return painted_images(replaced) ^ painted_images(record)


def is_renamed(
    journal: Revisions[ObjectRecord],
    was: Publication | None,
    record: ObjectRecord,
    titles: CollectionTitles,
) -> bool:
    """Return True if pages of a collection's members have a title that it no longer has."""
    since = was.revision if was else 0
    if since == record.revision or not (_is_collection(record) or _was_collection(was)):
        return False
    replaced, title = journal.entry(record.identifier, since), title_of(record)
    has_members = any(members_of(one) for one in (replaced, record))
    return (
        has_members
        and title_of(replaced) != title
        and not titles.is_announced(record.identifier, title)
    )


def members_of(record: ObjectRecord | None) -> set[str]:
    """Return the members of a collection; none of anything else."""
    match record:
        case Described(item=ObjectCollection(members=members)):
            return {member.identifier for member in members}
    return set()


def _is_collection(record: ObjectRecord) -> bool:
    return isinstance(record, Described) and isinstance(record.item, ObjectCollection)


def _was_collection(was: Publication | None) -> bool:
    return isinstance(was, Published) and was.kind == "collection"
