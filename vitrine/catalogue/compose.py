"""What is published of a record, by the images that it names and by what OCR read on its pages."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import brotli
import msgspec

from vitrine.access.rules import OPEN, read_rule
from vitrine.catalogue.live_images import live_images
from vitrine.catalogue.records import (
    Described,
    Item,
    ObjectRecord,
    Renamed,
    TakenDown,
    painted_images,
)
from vitrine.errors import ObjectRefused
from vitrine.identify.public_image import visible_image
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.iiif.presentation import version2, version3
from vitrine.iiif.presentation.image_resource import ImageResource, describe_image
from vitrine.iiif.presentation.model import (
    Canvas,
    ObjectCollection,
    PublishedObject,
    Range,
)
from vitrine.iiif.presentation.paging import CollectionPage, count_pages, part_of
from vitrine.iiif.presentation.schema import find_schema_faults
from vitrine.iiif.presentation.version3 import Json
from vitrine.iiif.presentation.whole_object import offer_documents
from vitrine.iiif.size import Limits
from vitrine.ports import ObjectStore
from vitrine.records import Gone, Live
from vitrine.store.publications import Kind, Moved, Publication, Published, Waiting, Withdrawn
from vitrine.text.ocr_results.pages import ALL_READ, OcrPage, Unread, add_texts, list_pages

QUALITY = 6
"""Quality of Brotli, 0 to 11: 9 takes ten times as long for a hundredth fewer bytes."""
_MANIFESTS = {2: version2.build_manifest, 3: version3.build_manifest}
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True)
class PublishedTexts:
    """What is published of the texts of an object's pages."""

    names: tuple[str, ...] = ()
    """Names of each canvas's text as annotations; empty if none has a text."""
    annotations: tuple[str, ...] = ()
    """Names of each canvas's other annotations; empty if none has any."""
    index: str = ""
    """Name of the text index; empty: there is no index."""
    fault: str = ""
    """Why there is no index of the words that there are."""


NO_TEXTS = PublishedTexts()


@dataclass(frozen=True, kw_only=True)
class Presentation:
    """What all documents of an environment share."""

    base: str
    """Scheme and host of their addresses."""
    limits: Limits
    """Limits of the image service."""
    downloads: bool = False
    """True if it also sends whole images that are beyond them."""
    rights: str = ""
    """URI of the rights of what names none."""


def compose(
    record: ObjectRecord,
    images: Mapping[str, Live],
    presentation: Presentation,
    texts: PublishedTexts = NO_TEXTS,
    withdrawn: Gone | None = None,
) -> Publication:
    """Return what the record's identifier answers. `images` has those that are published.

    What shows an image that is not among them is left out. An object of which nothing is left
    waits, or is gone as its images are, if all are withdrawn: `withdrawn` is the last of them. The
    pages of a long collection come apart (`compose_page`). Raises ObjectRefused for a document that
    breaks the schema, which the rules of records do not let happen.
    """
    match record:
        case Renamed(revision=revision, target=target):
            return Moved(revision=revision, target=target)
        case TakenDown(revision=revision, reason=reason, changed_at=since):
            return Withdrawn(revision=revision, reason=reason, since=since)
        case Described(revision=revision):
            item = visible_item(record.item, images, presentation.rights)
            if item is None and withdrawn:
                reason, since = withdrawn.reason, withdrawn.changed_at
                return Withdrawn(revision=revision, reason=reason, since=since)
            if item is None:
                return Waiting(revision=revision)
            kind: Kind = "manifest" if isinstance(item, PublishedObject) else "collection"
            documents = _documents(item, images, presentation, texts)
            facets = tuple(place for place, pair in enumerate(item.metadata) if pair.facet)
            return Published(
                revision=revision,
                kind=kind,
                documents=documents,
                facets=facets,
                texts=texts.names,
                annotations=texts.annotations,
                text_index=texts.index,
            )


def visible_item(item: Item, images: Mapping[str, Live], rights: str) -> Item | None:
    """Return what documents say of an item: what its published images allow, never without rights.

    None if it is an object without a published image.
    """
    shown = _without_missing(item, images)
    if isinstance(shown, PublishedObject) and not shown.canvases:
        return None
    return shown if shown.rights else msgspec.structs.replace(shown, rights=rights)


def compose_page(
    collection: ObjectCollection,
    page: CollectionPage,
    images: Mapping[str, Live],
    presentation: Presentation,
    absent: Collection[str] = (),
) -> dict[int, bytes]:
    """Return a page of a long collection in each version, without the members that are `absent`.

    `images` are those of its members.
    """
    shown = part_of(collection, page, absent)
    part = visible_item(shown, images, presentation.rights)
    assert isinstance(part, ObjectCollection)
    resources = _resources(images, presentation)
    return {
        2: _encode(version2.build_page(part, page, resources, presentation.base)),
        3: _encode(checked(version3.build_page(part, page, resources, presentation.base))),
    }


def checked(document: Json) -> Json:
    """Return a document of version 3 that keeps to its schema. Raises ObjectRefused."""
    if faults := find_schema_faults(document):
        sentence = f"{document['id']} breaks the schema of the Presentation API and is not written:"
        raise ObjectRefused("document-invalid", sentence, faults)
    return document


def compress(documents: Mapping[int, bytes]) -> dict[int, bytes]:
    """Return the documents as they are kept."""
    return {
        version: brotli.compress(document, mode=brotli.MODE_TEXT, quality=QUALITY)
        for version, document in documents.items()
    }


def _resources(images: Mapping[str, Live], presentation: Presentation) -> dict[str, ImageResource]:
    """Return what documents say of images, by their present identifiers."""
    found = {image.identifier: image for image in images.values()}
    return {
        name: describe_image(
            name,
            image,
            presentation.limits,
            downloads=presentation.downloads,
            is_public=visible_image(image) is not None,
        )
        for name, image in found.items()
    }


def _documents(
    item: Item, images: Mapping[str, Live], presentation: Presentation, texts: PublishedTexts
) -> dict[int, bytes]:
    resources, base = _resources(images, presentation), presentation.base
    match item:
        case PublishedObject():
            documents = _offer_documents(item, images, presentation, texts)
            made = {
                number: build(
                    item, resources, base, is_searched=bool(texts.index), documents=documents
                )
                for number, build in _MANIFESTS.items()
            }
        case ObjectCollection():
            made = {
                2: version2.build_collection(item, resources, base),
                3: version3.build_collection(item, resources, base),
            }
    checked(made[3])
    return compress({version: _encode(document) for version, document in made.items()})


def _offer_documents(
    item: PublishedObject,
    images: Mapping[str, Live],
    presentation: Presentation,
    texts: PublishedTexts,
) -> tuple[str, ...]:
    """Return the ends of the addresses of an object as one file."""
    if not presentation.downloads:
        return ()
    is_open = {one.identifier: read_rule(one.access) == OPEN for one in images.values()}
    open_pages = sum(is_open.get(canvas.image, False) for canvas in item.canvases)
    # An index may have comments only, and texts of pages that another server shows.
    is_read = any(canvas.text and canvas.image for canvas in item.canvases)
    has_text = bool(texts.index) and is_read
    return offer_documents(len(item.canvases), open_pages, has_text=has_text)


def _without_missing(item: Item, images: Mapping[str, Live]) -> Item:
    """Return the item with the images' present identifiers, and without those that have none."""
    present = {name: image.identifier for name, image in images.items()}
    thumbnail = present.get(item.thumbnail, "")
    match item:
        case ObjectCollection(members=members):
            if count_pages(len(members)):
                # Its own document names none of them.
                return msgspec.structs.replace(item, thumbnail=thumbnail)
            shown = tuple(
                msgspec.structs.replace(member, image=present.get(member.image, ""))
                for member in members
            )
            return msgspec.structs.replace(item, members=shown, thumbnail=thumbnail)
        case PublishedObject(canvases=canvases, ranges=ranges, start=start):
            places: dict[int, int] = {}
            kept: list[Canvas] = []
            for place, canvas in enumerate(canvases):
                if canvas.elsewhere is None and canvas.image not in present:
                    continue
                places[place] = len(kept)
                name, image = present.get(canvas.image, ""), images.get(canvas.image)
                if image and read_rule(image.access) != OPEN:
                    # The text of what not everybody sees is not for everybody.
                    canvas = msgspec.structs.replace(canvas, text="", annotations="")
                kept.append(msgspec.structs.replace(canvas, image=name))
            return msgspec.structs.replace(
                item,
                canvases=tuple(kept),
                thumbnail=thumbnail,
                ranges=_moved(ranges, places),
                start=places.get(start, 0),
            )


def _moved(ranges: Iterable[Range], places: Mapping[int, int]) -> tuple[Range, ...]:
    """Return parts of an object whose canvases are at other `places` now, or at none.

    A part is left out if it had canvases, in itself or in its parts, and has none left; so nothing
    is read of what is closed. A heading that never had one stays, unless it is in such a part.
    """
    kept: list[Range] = []
    for one in ranges:
        moved = msgspec.structs.replace(
            one,
            canvases=tuple(places[place] for place in one.canvases if place in places),
            parts=tuple(
                msgspec.structs.replace(part, canvas=places[part.canvas])
                for part in one.parts
                if part.canvas in places
            ),
            ranges=_moved(one.ranges, places),
        )
        if _has_canvases(moved) or not _has_canvases(one):
            kept.append(moved)
    return tuple(kept)


def _has_canvases(one: Range) -> bool:
    return bool(one.canvases) or any(_has_canvases(inner) for inner in one.ranges)


def ocr_pages(record: ObjectRecord | None, identifiers: ShownIdentifiers) -> list[OcrPage]:
    """Return the pages of a record that OCR is to read or has read, in their order."""
    match record:
        case Described(item=PublishedObject() as item):
            return [*list_pages(item, live_images(identifiers, painted_images(record)))]
    return []


def take_in_readings(
    records: ObjectStore,
    record: ObjectRecord,
    images: Mapping[str, Live],
    languages: Collection[str],
) -> tuple[ObjectRecord, Unread]:
    """Return the record with these texts, and what has yet to be read.

    `languages` are those that the environment reads.
    """
    match record:
        case Described(item=PublishedObject(ocr=ocr) as item) if ocr:
            read, unread = add_texts(records, item, images, languages)
            return msgspec.structs.replace(record, item=read), unread
    return record, ALL_READ
