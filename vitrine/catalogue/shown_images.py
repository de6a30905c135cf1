"""What objects and collections show, by their newest records."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    follow_renames,
    member_pictures,
    used_images,
)
from vitrine.catalogue.ruled_collections import Holders, Look
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.store.revisions import Revisions

MAX_IMAGES = 1_000
"""Images of one part: some 60 ms each, 16 at a time."""


class Shown(NamedTuple):
    """What an object or collection shows."""

    images: set[str]
    """An object's views and its thumbnail; of a collection, the thumbnail."""
    part_of: tuple[str, ...] = ()
    is_collection: bool = False
    pictures: frozenset[str] = frozenset()
    """A collection's images of its members."""

    def holders(self, name: str, look: Look) -> Holders:
        """Return the rules of these images from collections; `name` is what shows them."""
        return look.holders_within(name) if self.is_collection else look.holders(name, self.part_of)


def read_shown(journal: Revisions[ObjectRecord], name: str) -> Shown:
    """Return what an object or collection shows.

    What has no record is an image by itself, or an object that is yet to come.
    """
    _, record = follow_renames(journal, name)
    return Shown({name}) if record is None else shown_by(record)


def shown_by(record: ObjectRecord) -> Shown:
    """Return what a record shows."""
    match record:
        case Described(item=ObjectCollection(thumbnail=thumbnail)):
            pictures = frozenset().union(*member_pictures(record).values())
            return Shown({thumbnail} - {""}, is_collection=True, pictures=pictures)
        case Described(item=item):
            return Shown(used_images(record), item.part_of)
    return Shown(set())


def divide(shown: Mapping[str, Shown]) -> Iterator[list[str]]:
    """Yield these objects in parts of not too many images."""
    part, images = list[str](), 0
    for name, one in shown.items():
        if part and images + len(one.images) > MAX_IMAGES:
            yield part
            part, images = [], 0
        part.append(name)
        images += len(one.images)
    if part:
        yield part
