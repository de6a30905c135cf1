"""Manifests and collections of the Presentation API 3.0 (https://iiif.io/api/presentation/3.0/)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from mimetypes import guess_type
from typing import Any

from vitrine.iiif.format import JPEG
from vitrine.iiif.presentation.addresses import Addresses
from vitrine.iiif.presentation.canvas_annotations import describe_canvas
from vitrine.iiif.presentation.image_resource import ImageResource
from vitrine.iiif.presentation.lexical import as_moment, as_uri
from vitrine.iiif.presentation.model import (
    Agent,
    Canvas,
    Description,
    DescriptiveProperties,
    ImageElsewhere,
    Link,
    Member,
    ObjectCollection,
    Place,
    PublishedObject,
    Range,
    Statement,
    Texts,
)
from vitrine.iiif.presentation.paging import CollectionPage, pages_of
from vitrine.iiif.presentation.search_services import describe_search
from vitrine.iiif.presentation.whole_object import document_label, document_type
from vitrine.iiif.size import download_label
from vitrine.iiif.version import V2, V3

THUMBNAIL = 200
"""Pixels of the longer side of a thumbnail that another server makes."""
NAV_PLACE = "http://iiif.io/api/extension/navplace/context.json"
CONTEXT = "http://iiif.io/api/presentation/3/context.json"
Json = dict[str, Any]
Images = Mapping[str, ImageResource]
"""Images that a record names, by identifier."""


def build_manifest(
    item: PublishedObject,
    images: Images,
    base: str,
    *,
    is_searched: bool = False,
    documents: Sequence[str] = (),
) -> Json:
    """Return the manifest of an object. `base` is scheme and host.

    `is_searched` if there is an index of its texts; `documents` are the ends of the addresses of
    it as one file.

    Raises KeyError for an image that is not among `images`.
    """
    to = Addresses(base, 3)
    manifest: Json = {
        "@context": CONTEXT,
        "id": to.manifest(item.identifier),
        "type": "Manifest",
        **_describe_item(item, to),
    }
    if documents:
        count = len(item.canvases)
        links = [_link_document(item.identifier, one, count, to) for one in documents]
        manifest["rendering"] = [*links, *manifest.get("rendering", [])]
    if item.nav_place:
        manifest |= _describe_place(item, item.nav_place, to)
    if thumbnail := _thumbnail_of_object(item, images, to):
        manifest["thumbnail"] = [thumbnail]
    if item.viewing_direction != "left-to-right":
        manifest["viewingDirection"] = item.viewing_direction
    if is_searched:
        manifest["service"] = describe_search(item.identifier, to)
    if item.start:
        start = to.part(item.identifier, "canvas", item.start + 1)
        manifest["start"] = {"id": start, "type": "Canvas"}
    manifest["items"] = [
        _build_canvas(item, number, canvas, images, to)
        for number, canvas in enumerate(item.canvases, start=1)
    ]
    if item.ranges:
        manifest["structures"] = _build_ranges(item, item.ranges, "r", images, to)
    return manifest


def _describe_place(item: PublishedObject, place: Place, to: Addresses) -> Json:
    """Return what says where an object is on a map (navPlace extension), and its context."""
    point = {"type": "Point", "coordinates": [place.longitude, place.latitude]}
    feature = {
        "id": to.part(item.identifier, "feature", 1),
        "type": "Feature",
        "properties": {"label": _language_map(place.label)} if place.label else {},
        "geometry": point,
    }
    collection = {
        "id": to.part(item.identifier, "feature-collection", 1),
        "type": "FeatureCollection",
        "features": [feature],
    }
    return {"@context": [NAV_PLACE, CONTEXT], "navPlace": collection}


def build_collection(collection: ObjectCollection, images: Images, base: str) -> Json:
    """Return a collection with all its members, or with its pages. Raises as `build_manifest`."""
    to = Addresses(base, 3)
    document: Json = {
        "@context": CONTEXT,
        "id": to.collection(collection.identifier),
        "type": "Collection",
        **_describe_item(collection, to),
    }
    if collection.thumbnail and images[collection.thumbnail].is_public:
        document["thumbnail"] = [_describe_thumbnail(images[collection.thumbnail], to)]
    document["items"] = [
        _refer_to_page(collection, page, to) for page in pages_of(len(collection.members))
    ] or [_refer_to_member(member, images, to) for member in collection.members]
    return document


def build_page(part: ObjectCollection, page: CollectionPage, images: Images, base: str) -> Json:
    """Return a page of a long collection: a collection in it. Raises as `build_manifest`.

    `part` is the collection with the members of this page only.
    """
    to, required = Addresses(base, 3), part.required_statement
    document: Json = {
        "@context": CONTEXT,
        **_refer_to_page(part, page, to),
        "requiredStatement": _describe_statement(required) if required else None,
        "rights": part.rights,
        "partOf": [{"id": to.collection(part.identifier), "type": "Collection"}],
    }
    said = {name: value for name, value in document.items() if value}
    # A list that has to be there, with nothing in it as well.
    return said | {"items": [_refer_to_member(member, images, to) for member in part.members]}


def _describe_item(item: Description, to: Addresses) -> Json:
    """Return the properties of section 3 that are there, in the order in which people read."""
    described: Json = {
        "label": _language_map(item.label),
        "summary": _language_map(item.summary),
        **describe_properties(item),
        "partOf": [
            {"id": to.collection(identifier), "type": "Collection"} for identifier in item.part_of
        ],
    }
    return {name: value for name, value in described.items() if value}


def describe_properties(item: DescriptiveProperties) -> Json:
    """Return what any resource may say of itself, less what it does not."""
    required = item.required_statement
    described: Json = {
        "metadata": [_describe_statement(pair) for pair in item.metadata],
        "requiredStatement": _describe_statement(required) if required else None,
        "rights": item.rights,
        "navDate": as_moment(item.nav_date),
        "provider": [_describe_agent(agent) for agent in item.provider],
        "homepage": [_describe_link(link) for link in item.homepage],
        "seeAlso": [_describe_link(link) for link in item.see_also],
        "rendering": [_describe_link(link) for link in item.rendering],
        "behavior": list(item.behaviour),
    }
    return {name: value for name, value in described.items() if value}


def _build_canvas(
    item: PublishedObject, number: int, canvas: Canvas, images: Images, to: Addresses
) -> Json:
    address = to.part(item.identifier, "canvas", number)
    image = canvas.elsewhere or images[canvas.image]
    document: Json = {
        "id": address,
        "type": "Canvas",
        "label": _language_map(canvas.label or {"none": (str(number),)}),
        "height": image.height,
        "width": image.width,
    }
    if canvas.alt_text:
        document["summary"] = _language_map(canvas.alt_text)
    document |= describe_properties(canvas)
    if isinstance(image, ImageResource) and image.is_downloadable:
        document["rendering"] = [_link_download(image, to), *document.get("rendering", [])]
    if thumbnail := _thumbnail_of(image, to):
        document["thumbnail"] = [thumbnail]
    if canvas.placeholder:
        document["placeholderCanvas"] = _build_placeholder(item, number, canvas.placeholder, to)
    if isinstance(image, ImageResource):
        body = _describe_picture(image, image.largest, to)
    else:
        body = _picture_elsewhere(image)
    painting = {
        "id": to.part(item.identifier, "painting", number),
        "type": "Annotation",
        "motivation": "painting",
        "body": body,
        "target": address,
    }
    page = to.part(item.identifier, "page", number)
    document["items"] = [{"id": page, "type": "AnnotationPage", "items": [painting]}]
    if annotations := list(describe_canvas(item.identifier, number, canvas, to)):
        document["annotations"] = annotations
    return document


def _build_placeholder(
    item: PublishedObject, number: int, image: ImageElsewhere, to: Addresses
) -> Json:
    """Return the canvas of what viewers show until the image of a canvas is there (3.3)."""
    address = to.part(item.identifier, "placeholder", number)
    painting = {
        "id": f"{address}/painting",
        "type": "Annotation",
        "motivation": "painting",
        "body": _picture_elsewhere(image),
        "target": address,
    }
    page = {"id": f"{address}/page", "type": "AnnotationPage", "items": [painting]}
    return {
        "id": address,
        "type": "Canvas",
        "height": image.height,
        "width": image.width,
        "items": [page],
    }


def _build_ranges(
    item: PublishedObject, ranges: Sequence[Range], name: str, images: Images, to: Addresses
) -> list[Json]:
    return [
        _build_range(item, one, f"{name}{number}", images, to)
        for number, one in enumerate(ranges, start=1)
    ]


def _build_range(
    item: PublishedObject, one: Range, name: str, images: Images, to: Addresses
) -> Json:
    canvases = [
        {"id": address, "type": "Canvas"} for address in name_canvases(item, one, images, to)
    ]
    document: Json = {
        "id": to.part(item.identifier, "range", name),
        "type": "Range",
        "label": _language_map(one.label),
    }
    if one.summary:
        document["summary"] = _language_map(one.summary)
    inner = _build_ranges(item, one.ranges, f"{name}-", images, to)
    return document | describe_properties(one) | {"items": [*canvases, *inner]}


def name_canvases(
    item: PublishedObject, one: Range, images: Images, to: Addresses
) -> Iterator[str]:
    """Yield the addresses of a range's canvases, and of parts of them (section 5.4)."""
    for place in one.canvases:
        address = to.part(item.identifier, "canvas", place + 1)
        parts = [part for part in one.parts if part.canvas == place]
        canvas = item.canvases[place]
        image = canvas.elsewhere or images[canvas.image]
        for part in parts:
            box = (
                round(part.left * image.width),
                round(part.top * image.height),
                max(1, round(part.width * image.width)),
                max(1, round(part.height * image.height)),
            )
            yield f"{address}#xywh={','.join(map(str, box))}"
        if not parts:
            yield address


def _refer_to_page(collection: ObjectCollection, page: CollectionPage, to: Addresses) -> Json:
    return {
        "id": to.page(collection.identifier, page.number),
        "type": "Collection",
        "label": _language_map(page.label(collection.label)),
    }


def _refer_to_member(member: Member, images: Images, to: Addresses) -> Json:
    address = to.collection if member.is_collection else to.manifest
    reference: Json = {
        "id": address(member.identifier),
        "type": "Collection" if member.is_collection else "Manifest",
        "label": _language_map(member.label),
    }
    if member.image and images[member.image].is_public:
        reference["thumbnail"] = [_describe_thumbnail(images[member.image], to)]
    return reference


def _thumbnail_of_object(item: PublishedObject, images: Images, to: Addresses) -> Json | None:
    """Return a small picture of the image that is named for it, or else of the first one, of those
    that everybody may see."""
    if item.thumbnail_elsewhere:
        return {"id": as_uri(item.thumbnail_elsewhere), "type": "Image"}
    named = [images[item.thumbnail]] if item.thumbnail else []
    painted = (canvas.elsewhere or images[canvas.image] for canvas in item.canvases)
    return next(filter(None, (_thumbnail_of(one, to) for one in chain(named, painted))), None)


def _thumbnail_of(image: ImageResource | ImageElsewhere, to: Addresses) -> Json | None:
    """Return a small picture of an image, None of one that not everybody may see."""
    if isinstance(image, ImageElsewhere):
        return {"id": as_uri(small_picture(image)), "type": "Image"}
    return _describe_thumbnail(image, to) if image.is_public else None


def small_picture(image: ImageElsewhere) -> str:
    """Return the address of a small picture of an image of another server.

    Of one whose server makes no sizes, it is the picture itself.
    """
    if image.thumbnail or not image.service or "level0" in image.profile:
        return image.thumbnail or image.address
    scale = min(1, THUMBNAIL / max(image.width, image.height))
    width, height = (max(1, round(side * scale)) for side in (image.width, image.height))
    size = f"{width},{height}" if image.version == V3.number else f"{width},"
    quality = "native" if image.version == 1 else "default"
    return f"{image.service}/full/{size}/0/{quality}.jpg"


def _describe_thumbnail(image: ImageResource, to: Addresses) -> Json:
    return _describe_picture(image, image.thumbnail, to)


def _describe_picture(image: ImageResource, size: tuple[int, int], to: Addresses) -> Json:
    """Return a JPEG of this size, with the services that give any other: both versions."""
    width, height = size
    whole = "max" if size == image.largest else f"{width},{height}"
    uri = to.image(V3, image.identifier)
    return {
        "id": f"{uri}/full/{whole}/0/default.jpg",
        "type": "Image",
        "format": "image/jpeg",
        "height": height,
        "width": width,
        "service": [
            {"id": uri, "type": "ImageService3", "profile": f"level{image.compliance}"},
            {
                "@id": to.image(V2, image.identifier),
                "@type": "ImageService2",
                "profile": V2.profile_of(image.compliance),
            },
        ],
    }


def _link_download(image: ImageResource, to: Addresses) -> Json:
    return {
        "id": to.download(image.identifier),
        "type": "Image",
        "label": download_label(image.width, image.height),
        "format": JPEG.media_type,
    }


def _link_document(identifier: str, document: str, pages: int, to: Addresses) -> Json:
    return {
        "id": to.whole_object(identifier, document),
        "type": "Text",
        "label": document_label(document, pages),
        "format": document_type(document),
    }


def _picture_elsewhere(image: ImageElsewhere) -> Json:
    """Return an image of another server, with its service."""
    body: Json = {
        "id": as_uri(image.address),
        "type": "Image",
        "format": guess_type(image.address)[0] or "image/jpeg",
        "width": image.width,
        "height": image.height,
    }
    if image.service:
        sign = "" if image.version == V3.number else "@"
        body["service"] = [
            {
                f"{sign}id": as_uri(image.service),
                f"{sign}type": f"ImageService{image.version}",
                "profile": image.profile,
            }
        ]
    return body


def _describe_agent(agent: Agent) -> Json:
    document: Json = {
        "id": as_uri(agent.address),
        "type": "Agent",
        "label": _language_map(agent.label),
    }
    if agent.homepage:
        document["homepage"] = [_describe_link(agent.homepage)]
    if agent.logo:
        document["logo"] = [{"id": as_uri(agent.logo), "type": "Image"}]
    return document


def _describe_link(link: Link) -> Json:
    document: Json = {"id": as_uri(link.address), "type": link.type}
    if link.label:
        document["label"] = _language_map(link.label)
    if link.format:
        document["format"] = link.format
    if link.profile:
        document["profile"] = link.profile
    if link.language:
        document["language"] = [link.language]
    return document


def _describe_statement(pair: Statement) -> Json:
    return {"label": _language_map(pair.label), "value": _language_map(pair.value)}


def _language_map(texts: Texts) -> dict[str, list[str]]:
    return {language: list(values) for language, values in texts.items()}
