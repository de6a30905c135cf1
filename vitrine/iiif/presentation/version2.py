"""Manifests and collections of the Presentation API 2.1 (https://iiif.io/api/presentation/2.1/).

Older viewers and harvesters read nothing else. What 2.1 has no word for is left out: providers
(their names become the attribution), alternative texts of canvases, long descriptions.
"""

from collections.abc import Iterator, Sequence
from mimetypes import guess_type

from vitrine.iiif.format import JPEG
from vitrine.iiif.presentation.addresses import Addresses
from vitrine.iiif.presentation.canvas_annotations import list_texts
from vitrine.iiif.presentation.image_resource import ImageResource
from vitrine.iiif.presentation.lexical import as_moment, as_uri
from vitrine.iiif.presentation.model import (
    Behaviour,
    Canvas,
    Description,
    DescriptiveProperties,
    ImageElsewhere,
    Member,
    ObjectCollection,
    PublishedObject,
    Range,
)
from vitrine.iiif.presentation.paging import CollectionPage, count_pages
from vitrine.iiif.presentation.properties2 import (
    flatten,
    present,
    write_link,
    write_statement,
    write_texts,
)
from vitrine.iiif.presentation.search_services import describe_search_1
from vitrine.iiif.presentation.version3 import Images, Json, name_canvases, small_picture
from vitrine.iiif.presentation.whole_object import document_label, document_type
from vitrine.iiif.size import download_label
from vitrine.iiif.version import V2

CONTEXT = "http://iiif.io/api/presentation/2/context.json"
HINTS: dict[Behaviour, str] = {
    "individuals": "individuals",
    "continuous": "continuous",
    "paged": "paged",
    "facing-pages": "facing-pages",
    "non-paged": "non-paged",
    "multi-part": "multi-part",
}
"""Viewing hints (section 3.1.4) of the behaviours; a resource has one."""


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
    it as one file. Raises KeyError for an image that is not among `images`.
    """
    to = Addresses(base, 2)
    canvases = [
        _build_canvas(item, number, canvas, images, to)
        for number, canvas in enumerate(item.canvases, start=1)
    ]
    sequence: Json = {
        "@id": to.part(item.identifier, "sequence", "normal"),
        "@type": "sc:Sequence",
        "canvases": canvases,
    }
    if item.start:
        sequence["startCanvas"] = to.part(item.identifier, "canvas", item.start + 1)
    manifest: Json = {
        "@context": CONTEXT,
        "@id": to.manifest(item.identifier),
        "@type": "sc:Manifest",
        **_describe_item(item, to),
        "thumbnail": _thumbnail_of_object(item, images, to),
        "viewingDirection": item.viewing_direction,
        "service": describe_search_1(item.identifier, to) if is_searched else None,
        "sequences": [sequence],
        "structures": list(_build_structures(item, images, to)),
    }
    if documents:
        count = len(item.canvases)
        links = [_link_document(item.identifier, one, count, to) for one in documents]
        manifest["rendering"] = [*links, *manifest.get("rendering", [])]
    return present(manifest)


def build_collection(collection: ObjectCollection, images: Images, base: str) -> Json:
    """Return a collection with all its members, or what leads to its pages.

    Raises as `build_manifest`.
    """
    to, shown = Addresses(base, 2), collection.thumbnail
    members, name = collection.members, collection.identifier
    pages = count_pages(len(members))
    document: Json = {
        "@context": CONTEXT,
        "@id": to.collection(collection.identifier),
        "@type": "sc:Collection",
        **_describe_item(collection, to),
        "thumbnail": _describe_thumbnail(images, shown, to),
        "total": len(members) if pages else None,
        "first": to.page(name, 1) if pages else None,
        "last": to.page(name, pages) if pages else None,
        "members": [] if pages else _refer_to_members(members, images, to),
    }
    return present(document)


def build_page(part: ObjectCollection, page: CollectionPage, images: Images, base: str) -> Json:
    """Return a page of a long collection (section 5.9). Raises as `build_manifest`.

    `part` is the collection with the members of this page only.
    """
    to, name, number = Addresses(base, 2), part.identifier, page.number
    said = _describe_item(part, to)
    document: Json = {
        "@context": CONTEXT,
        "@id": to.page(name, number),
        "@type": "sc:Collection",
        "label": write_texts(page.label(part.label)),
        "attribution": said.get("attribution"),
        "license": said.get("license"),
        "within": to.collection(name),
        "startIndex": page.start,
        "prev": to.page(name, number - 1) if number > 1 else None,
        "next": to.page(name, number + 1) if number < page.pages else None,
        "members": _refer_to_members(part.members, images, to),
    }
    return present(document)


def _describe_item(item: Description, to: Addresses) -> Json:
    described: Json = {
        "label": write_texts(item.label),
        "description": write_texts(item.summary),
        **_describe_properties(item),
        "navDate": as_moment(item.nav_date),
        "within": [to.collection(identifier) for identifier in item.part_of],
    }
    return present(described)


def _describe_properties(item: DescriptiveProperties) -> Json:
    """Return what any resource may say of itself; a date, only manifests and collections."""
    required = item.required_statement
    attribution = (required.value,) if required else tuple(one.label for one in item.provider)
    return {
        "metadata": [write_statement(pair) for pair in item.metadata],
        "attribution": flatten([write_texts(texts) for texts in attribution]),
        "license": item.rights,
        "logo": next((as_uri(agent.logo) for agent in item.provider if agent.logo), ""),
        "related": [write_link(link) for link in item.homepage],
        "seeAlso": [write_link(link) for link in item.see_also],
        "rendering": [write_link(link) for link in item.rendering],
        "viewingHint": _viewing_hint(item.behaviour),
    }


def _build_canvas(
    item: PublishedObject, number: int, canvas: Canvas, images: Images, to: Addresses
) -> Json:
    address = to.part(item.identifier, "canvas", number)
    image = canvas.elsewhere or images[canvas.image]
    painting = {
        "@id": to.part(item.identifier, "painting", number),
        "@type": "oa:Annotation",
        "motivation": "sc:painting",
        "resource": (
            {**_describe_scaled(image, image.largest, to), "format": "image/jpeg"}
            if isinstance(image, ImageResource)
            else _picture_elsewhere(image)
        ),
        "on": address,
    }
    document: Json = {
        "@id": address,
        "@type": "sc:Canvas",
        "label": write_texts(canvas.label) or str(number),
        "height": image.height,
        "width": image.width,
        **_describe_properties(canvas),
        "thumbnail": _thumbnail_of(canvas, images, to),
        "images": [painting],
        "otherContent": list(list_texts(item.identifier, number, canvas, to)),
        "service": _describe_size(canvas, image.width),
    }
    if isinstance(image, ImageResource) and (link := _link_download(image, to)):
        document["rendering"] = [link, *document["rendering"]] if canvas.rendering else link
    return present(document)


def _describe_size(canvas: Canvas, width: int) -> Json | None:
    """Return the service that says how large the object is (Annex "Linking to Services", 3.2).

    Version 3 has no form of it that its schema takes.
    """
    if not canvas.width_mm:
        return None
    return {
        "@context": "http://iiif.io/api/annex/services/physdim/1/context.json",
        "profile": "http://iiif.io/api/annex/services/physdim",
        "physicalScale": canvas.width_mm / width,
        "physicalUnits": "mm",
    }


def _build_structures(item: PublishedObject, images: Images, to: Addresses) -> Iterator[Json]:
    """Yield the ranges as a flat list, under one that says where the table of contents begins.

    Mirador shows none without it.
    """
    if not item.ranges:
        return
    yield {
        "@id": to.part(item.identifier, "range", "r"),
        "@type": "sc:Range",
        "label": write_texts(item.label),
        "viewingHint": "top",
        "ranges": _name_ranges(item, item.ranges, "r", to),
    }
    yield from _flatten_ranges(item, item.ranges, "r", images, to)


def _flatten_ranges(
    item: PublishedObject, ranges: Sequence[Range], name: str, images: Images, to: Addresses
) -> Iterator[Json]:
    for number, one in enumerate(ranges, start=1):
        own = f"{name}{number}"
        document = {
            "@id": to.part(item.identifier, "range", own),
            "@type": "sc:Range",
            "label": write_texts(one.label),
            "description": write_texts(one.summary),
            **_describe_properties(one),
            "canvases": list(name_canvases(item, one, images, to)),
            "ranges": _name_ranges(item, one.ranges, f"{own}-", to),
        }
        yield present(document)
        yield from _flatten_ranges(item, one.ranges, f"{own}-", images, to)


def _name_ranges(
    item: PublishedObject, ranges: Sequence[Range], name: str, to: Addresses
) -> list[str]:
    numbers = range(1, len(ranges) + 1)
    return [to.part(item.identifier, "range", f"{name}{number}") for number in numbers]


def _refer_to_members(members: Sequence[Member], images: Images, to: Addresses) -> list[Json]:
    return [
        present(
            {
                "@id": (to.collection if one.is_collection else to.manifest)(one.identifier),
                "@type": "sc:Collection" if one.is_collection else "sc:Manifest",
                "label": write_texts(one.label),
                "thumbnail": _describe_thumbnail(images, one.image, to),
            }
        )
        for one in members
    ]


def _link_download(image: ImageResource, to: Addresses) -> Json | None:
    if not image.is_downloadable:
        return None
    return {
        "@id": to.download(image.identifier),
        "format": JPEG.media_type,
        "label": download_label(image.width, image.height)["en"][0],
    }


def _link_document(identifier: str, document: str, pages: int, to: Addresses) -> Json:
    return {
        "@id": to.whole_object(identifier, document),
        "format": document_type(document),
        "label": document_label(document, pages)["en"][0],
    }


def _picture_elsewhere(image: ImageElsewhere) -> Json:
    """Return an image of another server, with its service."""
    service: Json = {
        "@context": f"http://iiif.io/api/image/{image.version}/context.json",
        "@id": as_uri(image.service),
        "profile": image.profile,
    }
    body: Json = {
        "@id": as_uri(image.address),
        "@type": "dctypes:Image",
        "format": guess_type(image.address)[0] or "image/jpeg",
        "height": image.height,
        "width": image.width,
        "service": service if image.service else None,
    }
    return present(body)


def _thumbnail_of_object(item: PublishedObject, images: Images, to: Addresses) -> Json | str | None:
    if item.thumbnail_elsewhere:
        return as_uri(item.thumbnail_elsewhere)
    named = _describe_thumbnail(images, item.thumbnail, to)
    painted = (_thumbnail_of(canvas, images, to) for canvas in item.canvases)
    return named or next((one for one in painted if one), None)


def _thumbnail_of(canvas: Canvas, images: Images, to: Addresses) -> Json | str | None:
    if canvas.elsewhere:
        return as_uri(small_picture(canvas.elsewhere))
    return _describe_thumbnail(images, canvas.image, to)


def _describe_thumbnail(images: Images, name: str, to: Addresses) -> Json | None:
    image = images[name] if name else None
    return _describe_scaled(image, image.thumbnail, to) if image and image.is_public else None


def _describe_scaled(image: ImageResource, size: tuple[int, int], to: Addresses) -> Json:
    (width, height), uri = size, to.image(V2, image.identifier)
    whole = "full" if size == (image.width, image.height) else f"{width},"
    return {
        "@id": f"{uri}/full/{whole}/0/default.jpg",
        "@type": "dctypes:Image",
        "height": height,
        "width": width,
        "service": {
            "@context": V2.context,
            "@id": uri,
            "profile": V2.profile_of(image.compliance),
        },
    }


def _viewing_hint(behaviour: Sequence[Behaviour]) -> str:
    return next((HINTS[one] for one in behaviour if one in HINTS), "")
