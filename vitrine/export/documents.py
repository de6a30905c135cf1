"""The documents of an export: manifests as they are published, and those of the static tree."""

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import brotli
import msgspec

from vitrine.access.rules import OPEN, read_rule
from vitrine.catalogue.absent_members import AbsentMembers
from vitrine.catalogue.compose import checked, visible_item
from vitrine.catalogue.live_images import live_images
from vitrine.catalogue.object_texts import (
    build_remark_documents,
    build_text_documents,
    load_remarks,
    load_text,
)
from vitrine.catalogue.records import (
    Described,
    Item,
    ObjectRecord,
    used_images,
)
from vitrine.errors import ObjectMissing
from vitrine.export.level0 import VERSIONS, StaticImage
from vitrine.export.names import file_name
from vitrine.export.services import ExportServices
from vitrine.identify.public_image import described_image, visible_image
from vitrine.iiif.presentation import version2, version3
from vitrine.iiif.presentation.addresses import (
    COLLECTION,
    MANIFEST,
    page_document,
    remark_document,
    text_document,
)
from vitrine.iiif.presentation.image_resource import ImageResource, describe_image
from vitrine.iiif.presentation.model import (
    ObjectCollection,
    PublishedObject,
    object_of_image,
)
from vitrine.iiif.presentation.paging import CollectionPage, count_pages, pages_of, part_of
from vitrine.records import Live
from vitrine.store.layout import page_key, publication_key, text_page_key
from vitrine.store.publications import Published, decode_page, decode_publication
from vitrine.text.transcription.page_text import CanvasSize

Documents = dict[str, bytes]
"""JSON by path."""
AnyItem = TypeVar("AnyItem", bound=Item)
_encode = msgspec.json.Encoder().encode


def published_documents(services: ExportServices, identifier: str) -> Documents:
    """Return what an object's addresses answer now, nothing if that is no document."""
    try:
        body, _ = services.site.get(publication_key(identifier))
    except ObjectMissing:
        return {}
    publication = decode_publication(body)
    if not isinstance(publication, Published):
        return {}
    found = {
        _published_path(version, identifier): brotli.decompress(document)
        for version, document in publication.documents.items()
    }
    for number in range(1, publication.pages + 1):
        body, _ = services.site.get(page_key(identifier, number))
        found |= {
            _published_path(version, identifier, page_document(number)): brotli.decompress(document)
            for version, document in decode_page(body).items()
        }
    for names, document_of in (
        (publication.texts, text_document),
        (publication.annotations, remark_document),
    ):
        for number, name in enumerate(names, start=1):
            if name:
                body, _ = services.site.get(text_page_key(identifier, name))
                found |= {
                    _published_path(version, identifier, document_of(number)): brotli.decompress(
                        one
                    )
                    for version, one in decode_page(body).items()
                }
    return found


def image_documents(services: ExportServices, image: Live) -> Documents:
    """Return the manifests that an image has by itself, as the gateway makes them for everybody.

    They describe a small image small; one that everybody is refused has none.
    """
    shown = described_image(image)
    if shown is None:
        return {}
    presentation, public = services.presentation, visible_image(image)
    resource = describe_image(
        image.identifier,
        shown,
        presentation.limits,
        # What not everybody sees whole, not everybody downloads.
        downloads=presentation.downloads and public is image,
        is_public=public is not None,
    )
    item = object_of_image(image.identifier, presentation.rights)
    made = _build_collection(item, {image.identifier: resource}, presentation.base)
    return {
        _published_path(version, image.identifier): _encode(document)
        for version, document in made.items()
    }


def static_information(services: ExportServices, image: Live, base: str) -> Documents:
    """Return the image information of both versions."""
    static = StaticImage(image, base, services.presentation.rights)
    return {
        f"{SITE}{static.folder(version)}/info.json": _encode(static.information(version))
        for version in VERSIONS
    }


def static_image_page(services: ExportServices, image: Live, base: str) -> Documents:
    """Return the manifests of an image alone in the static tree."""
    item = object_of_image(image.identifier, services.presentation.rights)
    return _static_documents(item, {image.identifier: image}, base)


def is_open(image: Live) -> bool:
    """Return True if an image is in the static tree, which is for everybody and has no doors."""
    return read_rule(image.access) == OPEN


def open_images(services: ExportServices, record: ObjectRecord) -> dict[str, Live]:
    """Return the images that the static tree shows of an object, by the names it gives them."""
    images = live_images(services.shown, used_images(record))
    return {name: image for name, image in images.items() if is_open(image)}


def static_object_page(services: ExportServices, record: ObjectRecord, base: str) -> Documents:
    """Return the documents of an object or collection in the static tree."""
    if not isinstance(record, Described):
        return {}
    images = open_images(services, record)
    rights = services.presentation.rights
    absent = _absent_members(services, record.item, images)
    whole = _without_absent(record.item, absent)
    item = visible_item(whole, images, rights)
    found = {image.identifier: image for image in images.values()}
    made = _static_documents(item, found, base) if item else {}
    if isinstance(item, PublishedObject):
        made |= _static_texts(services, item, found, base)
    if isinstance(record.item, ObjectCollection):
        for page in pages_of(len(record.item.members)):
            part = visible_item(part_of(record.item, page, absent), images, rights)
            assert isinstance(part, ObjectCollection)
            made |= _static_page(part, page, found, base)
    return made


def _static_texts(
    services: ExportServices, item: PublishedObject, images: Mapping[str, Live], base: str
) -> Documents:
    """Return the texts and annotations of canvases, to which the manifests of an object lead."""
    name, records = file_name(item.identifier), services.records
    made: Documents = {}
    for number, canvas in enumerate(item.canvases, start=1):
        image = canvas.elsewhere or images[canvas.image]
        size = CanvasSize(image.width, image.height)
        if canvas.text:
            text = build_text_documents(name, number, load_text(records, canvas.text, size), base)
            made |= _static_files(item, text_document(number), text)
        if canvas.annotations:
            remarks = load_remarks(records, canvas.annotations, size)
            shown = build_remark_documents(name, number, remarks, base)
            made |= _static_files(item, remark_document(number), shown)
    return made


def _absent_members(
    services: ExportServices, item: Item, images: Mapping[str, Live]
) -> frozenset[str]:
    if not isinstance(item, ObjectCollection):
        return frozenset()
    absent = AbsentMembers(services.catalogue, services.shown)
    return absent.find(item.members, images, is_page=bool(count_pages(len(item.members))))


def _without_absent(item: Item, absent: Collection[str]) -> Item:
    """Return a collection in one piece without the members that show nothing, else the item."""
    if not isinstance(item, ObjectCollection) or count_pages(len(item.members)):
        return item
    shown = tuple(one for one in item.members if one.identifier not in absent)
    return msgspec.structs.replace(item, members=shown)


SITE = "data/site/"
"""Folder of the static tree, in that of the export."""


def _static_documents(item: Item, images: Mapping[str, Live], base: str) -> Documents:
    made = _build_collection(_with_file_names(item), _static_resources(images, base), base)
    name = COLLECTION if isinstance(item, ObjectCollection) else MANIFEST
    return _static_files(item, name, made)


def _static_page(
    part: ObjectCollection, page: CollectionPage, images: Mapping[str, Live], base: str
) -> Documents:
    named = _with_file_names(part)
    names = {one.image for one in part.members}
    shown = {name: image for name, image in images.items() if name in names}
    resources = _static_resources(shown, base)
    made = {
        2: version2.build_page(named, page, resources, base),
        3: checked(version3.build_page(named, page, resources, base)),
    }
    return _static_files(part, page_document(page.number), made)


def _static_files(item: Item, name: str, made: Mapping[int, Any]) -> Documents:
    return {
        f"{SITE}presentation/{version}/{file_name(item.identifier)}/{name}": _encode(document)
        for version, document in made.items()
    }


def _static_resources(images: Mapping[str, Live], base: str) -> dict[str, ImageResource]:
    return {file_name(name): StaticImage(image, base).resource() for name, image in images.items()}


def _with_file_names(item: AnyItem) -> AnyItem:
    """Return the item with its identifiers as the static tree spells them."""
    changes: dict[str, Any] = {
        "identifier": file_name(item.identifier),
        "thumbnail": _maybe_name(item.thumbnail),
        "part_of": tuple(map(file_name, item.part_of)),
    }
    replace = msgspec.structs.replace
    if isinstance(item, PublishedObject):
        # A canvas without a label has its number: nothing else of it depends on the name.
        changes["canvases"] = tuple(
            replace(canvas, image=_maybe_name(canvas.image)) for canvas in item.canvases
        )
    else:
        changes["members"] = tuple(
            replace(
                member,
                identifier=file_name(member.identifier),
                image=_maybe_name(member.image),
            )
            for member in item.members
        )
    return replace(item, **changes)


def _maybe_name(image: str) -> str:
    """Return the name of an image's folder, nothing for no image."""
    return file_name(image) if image else ""


def _build_collection(item: Item, images: Mapping[str, ImageResource], base: str) -> dict[int, Any]:
    if isinstance(item, PublishedObject):
        return {
            2: version2.build_manifest(item, images, base),
            3: checked(version3.build_manifest(item, images, base)),
        }
    return {
        2: version2.build_collection(item, images, base),
        3: checked(version3.build_collection(item, images, base)),
    }


def _published_path(version: int, identifier: str, page: str = "") -> str:
    name = file_name(identifier) + (f"/{page}" if page else ".json")
    return f"data/manifests/{version}/{name}"
