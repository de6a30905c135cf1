"""What lists and searches of the site read of a document that is published.

Its form is checked while it is read, so that a publication that is damaged is no defect of ours,
and stops nobody's update.
"""

import logging
from typing import Literal

import brotli
import msgspec

from vitrine.iiif.presentation.addresses import NEWEST
from vitrine.store.publications import Published

logger = logging.getLogger(__name__)

Texts = dict[str, list[str]]


class UnusablePublication(ValueError):
    """What is published of an object, or a document in it, is damaged."""


class Service(msgspec.Struct, frozen=True):
    """Where a picture has all its sizes."""

    id: str = ""


class DocumentThumbnail(msgspec.Struct, frozen=True):
    """A thumbnail."""

    id: str
    width: int = 0
    height: int = 0
    service: list[Service] = []


class MetadataLine(msgspec.Struct, frozen=True):
    """A line of metadata."""

    label: Texts
    value: Texts


class ListedItem(msgspec.Struct, frozen=True):
    """A canvas, or a member of a collection."""

    thumbnail: list[DocumentThumbnail] = []
    width: int = 0
    """Pixels of a canvas."""
    height: int = 0


class Geometry(msgspec.Struct, frozen=True):
    """A point, longitude first (RFC 7946, section 3.1.2)."""

    coordinates: tuple[float, float]


class FeatureProperties(msgspec.Struct, frozen=True):
    """What is said of a place."""

    label: Texts = {}


class Feature(msgspec.Struct, frozen=True):
    """A place on a map."""

    geometry: Geometry
    properties: FeatureProperties = FeatureProperties()


class FeatureCollection(msgspec.Struct, frozen=True):
    """Places on a map."""

    features: list[Feature] = []


class Container(msgspec.Struct, frozen=True):
    """A collection that an object says it belongs to."""

    id: str


class PublishedDocument(msgspec.Struct, frozen=True, rename="camel"):
    """A manifest or collection of Presentation 3.0."""

    type: Literal["Manifest", "Collection"]
    label: Texts
    items: list[ListedItem]
    summary: Texts = {}
    metadata: list[MetadataLine] = []
    required_statement: MetadataLine | None = None
    thumbnail: list[DocumentThumbnail] = []
    rights: str = ""
    nav_date: str = ""
    nav_place: FeatureCollection = FeatureCollection()
    part_of: list[Container] = []

    def find_thumbnail(self) -> DocumentThumbnail | None:
        """Return its first thumbnail, else the first one of an item; None without any."""
        all_of_them = [self.thumbnail, *(one.thumbnail for one in self.items)]
        return next((one for several in all_of_them for one in several), None)


DAMAGE = (brotli.error, msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors from reading a damaged document."""
_decode = msgspec.json.Decoder(PublishedDocument).decode


def read_document(publication: Published) -> PublishedDocument:
    """Return the newest document of a publication. Raises UnusablePublication."""
    try:
        document = _decode(brotli.decompress(publication.documents[NEWEST]))
    except KeyError:
        raise UnusablePublication(f"it has no document of version {NEWEST}") from None
    except DAMAGE as error:
        raise UnusablePublication(str(error)) from error
    if not all(0 <= place < len(document.metadata) for place in publication.facets):
        raise UnusablePublication("a facet is no line of its metadata")
    return document


def log_damage(key: str, error: Exception) -> None:
    """Name what is damaged of an object, so that an operator has it published again."""
    logger.error("%s is damaged (docs/runbooks/searches-fail.md): %s", key, error)
