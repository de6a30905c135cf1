"""The tool `get_object`: an object or a collection, as its published document describes it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import msgspec

from vitrine.errors import RequestError
from vitrine.iiif.presentation.addresses import (
    MANIFEST,
    document_path,
    page_document,
    parse_document_address,
    text_document,
)
from vitrine.iiif.presentation.paging import MEMBERS
from vitrine.mcp.visitor import Visitor
from vitrine.store.site_layout import collection_page_key, object_page_key, page_path
from vitrine.text.plain_texts import ManyTexts, plain_texts

LISTED = 50
"""Pages of an object, or members of a collection, in one answer."""
VERSION = 3
_IMAGE = re.compile(r"/iiif/3/([^/]+)")
Texts = dict[str, list[str]]


class Statement(msgspec.Struct, frozen=True):
    """A line of metadata."""

    label: Texts
    value: Texts


class Resource(msgspec.Struct, frozen=True):
    """What a document refers to by its address."""

    id: str = ""
    type: str = ""


class Picture(msgspec.Struct, frozen=True):
    """What is painted on a canvas."""

    service: list[Resource] = []


class Painting(msgspec.Struct, frozen=True):
    """The annotation that paints it."""

    body: Picture


class PaintingPage(msgspec.Struct, frozen=True):
    """Annotations of a canvas."""

    items: list[Painting] = []


class Item(msgspec.Struct, frozen=True):
    """A canvas of a manifest, or a member or a page of a collection."""

    id: str
    type: str
    label: Texts = {}
    summary: Texts = {}
    width: int = 0
    height: int = 0
    items: list[PaintingPage] = []
    annotations: list[Resource] = []


class Document(msgspec.Struct, frozen=True, rename="camel"):
    """A manifest or a collection of the Presentation API 3.0."""

    id: str
    type: str
    label: Texts = {}
    summary: Texts = {}
    metadata: list[Statement] = []
    required_statement: Statement | None = None
    rights: str = ""
    nav_date: str = ""
    part_of: list[Resource] = []
    items: list[Item] = []


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page of an object: one image of it, such as a page of a book or the back of a print."""

    number: int
    label: str
    description: str
    image: str
    """Identifier of its image; empty if the image is on another server or not there yet."""
    width: int
    height: int
    has_text: bool


@dataclass(frozen=True, kw_only=True)
class Member:
    """An object or a collection that a collection lists."""

    identifier: str
    kind: str
    title: str


@dataclass(frozen=True, kw_only=True)
class ShownObject:
    """An object with its pages, or a collection with its members."""

    identifier: str
    kind: str
    title: str
    summary: str
    metadata: list[str]
    rights: str
    credit: str
    part_of: list[str]
    page_address: str
    """For people; the one to name when speaking of the object."""
    document_address: str
    pages: list[Page]
    members: list[Member]
    next: int | None
    """`first` of the call that lists what follows; None if nothing does."""


async def get_object(visitor: Visitor, identifier: str, first: int) -> ShownObject:
    """Return an object or collection, with its pages or members from number `first` on.

    Raises ToolError.
    """
    document = await visitor.read_json(document_path(VERSION, identifier, MANIFEST), Document)
    name = read_identifier(document.id)
    is_collection = document.type == "Collection"
    items, start = document.items, first - 1
    following = None
    if is_collection and any(_is_page(item) for item in items[:1]):
        # A long collection lists pages of it, each of which is a document.
        number = start // MEMBERS + 1
        if number < len(items):
            following = number * MEMBERS + 1
        path = document_path(VERSION, name, page_document(number))
        page = await visitor.find_json(path, Document)
        # It may have fewer: what shows nobody anything leaves a gap at its end.
        items, start = page.items if page else [], start % MEMBERS
    listed = items[start : start + LISTED]
    if start + LISTED < len(items):
        following = first + LISTED
    credit = document.required_statement
    return ShownObject(
        identifier=name,
        kind=_kind(document),
        title=join_texts(document.label),
        summary=join_texts(document.summary),
        metadata=[f"{join_texts(one.label)}: {join_texts(one.value)}" for one in document.metadata],
        rights=document.rights,
        credit=join_texts(credit.value) if credit else "",
        part_of=[read_identifier(one.id) for one in document.part_of],
        page_address=visitor.base + show_path(_kind(document), name),
        document_address=document.id,
        pages=[] if is_collection else _list_pages(listed, first),
        members=_list_members(listed) if is_collection else [],
        next=following,
    )


def join_texts(texts: ManyTexts) -> str:
    """Return a text in all its languages, each of its values once."""
    return " / ".join(dict.fromkeys(text for _, text in plain_texts(texts)))


def show_path(kind: str, identifier: str) -> str:
    """Return the path of the page for people of an object or collection."""
    is_collection = kind == "collection"
    key = collection_page_key(identifier) if is_collection else object_page_key(identifier)
    return page_path(key)


def read_identifier(address: str) -> str:
    """Return the identifier in the address of a manifest or collection; empty if it has none."""
    try:
        found = parse_document_address(urlsplit(address).path)
    except RequestError:
        return ""
    return found.identifier if found else ""


def _is_page(item: Item) -> bool:
    """Return True if an item of a collection is a page of it."""
    found = parse_document_address(urlsplit(item.id).path)
    return bool(found and found.page)


def _kind(document: Document | Item) -> str:
    return "collection" if document.type == "Collection" else "object"


def _list_pages(canvases: Sequence[Item], first: int) -> list[Page]:
    return [
        Page(
            number=number,
            label=join_texts(canvas.label),
            description=join_texts(canvas.summary),
            image=_find_image(canvas),
            width=canvas.width,
            height=canvas.height,
            has_text=_has_text(canvas, number),
        )
        for number, canvas in enumerate(canvases, start=first)
    ]


def _has_text(canvas: Item, number: int) -> bool:
    return any(one.id.endswith(f"/{text_document(number)}") for one in canvas.annotations)


def _find_image(canvas: Item) -> str:
    """Return the identifier of the image of a canvas; empty if this service does not have it."""
    for page in canvas.items:
        for painting in page.items:
            for service in painting.body.service:
                if found := _IMAGE.fullmatch(urlsplit(service.id).path):
                    return unquote(found[1])
    return ""


def _list_members(items: Sequence[Item]) -> list[Member]:
    return [
        Member(identifier=read_identifier(one.id), kind=_kind(one), title=join_texts(one.label))
        for one in items
    ]
