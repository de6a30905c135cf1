"""What objects and collections show, by their newest records."""

from typing import NamedTuple

from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    follow_renames,
    used_images,
)
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.store.revisions import Revisions


class Shown(NamedTuple):
    """What an object or collection shows."""

    name: str
    """Its present identifier."""
    images: set[str]
    """An object's views and its thumbnail; what a collection shows is its own."""
    is_collection: bool = False
    revision: int = 0
    """Revision of the record that says so; 0: it has no record."""


def read_shown(journal: Revisions[ObjectRecord], identifier: str) -> Shown:
    """Return what a member of a collection shows.

    What has no record is an image by itself, or an object that is yet to come.
    """
    name, record = follow_renames(journal, identifier)
    match record:
        case None:
            return Shown(name, {name})
        case Described(item=ObjectCollection()):
            return Shown(name, set(), is_collection=True, revision=record.revision)
    return Shown(name, used_images(record), revision=record.revision)
