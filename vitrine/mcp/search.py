"""The tool `search`: objects by their titles and descriptions, and pages by their texts."""

import asyncio
import re
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote

import msgspec

from vitrine.mcp.objects import Texts, join_texts, read_identifier, show_path
from vitrine.mcp.title_search import Card, TitleSearch
from vitrine.mcp.visitor import Visitor

MAX_PAGES = 20
"""Pages of texts in one answer."""
_CANVAS = re.compile(r"/canvas/([0-9]+)(?:#|$)")
One = TypeVar("One")


class Manifest(msgspec.Struct, frozen=True):
    """The object that a page belongs to."""

    id: str
    label: Texts = {}


class Canvas(msgspec.Struct, frozen=True, rename="camel"):
    """The page that a match is on, or a part of it."""

    id: str
    part_of: list[Manifest] = []


class Match(msgspec.Struct, frozen=True):
    """An annotation with what was found."""

    id: str
    target: Canvas | list[Canvas]


class Quote(msgspec.Struct, frozen=True):
    """Words that were found, and those around them."""

    prefix: str = ""
    exact: str = ""
    suffix: str = ""


class Quoted(msgspec.Struct, frozen=True):
    """The annotation that a quote is of."""

    source: str
    selector: list[Quote] = []


class Context(msgspec.Struct, frozen=True):
    """An annotation with the words around a match."""

    target: Quoted | list[Quoted]


class Contexts(msgspec.Struct, frozen=True):
    """All of them."""

    items: list[Context] = []


class Matches(msgspec.Struct, frozen=True):
    """An answer of IIIF Content Search 2.0."""

    items: list[Match] = []
    annotations: list[Contexts] = []


@dataclass(frozen=True, kw_only=True)
class FoundObject:
    """An object or collection whose title or description has the words."""

    identifier: str
    kind: str
    title: str
    line: str
    page_address: str


@dataclass(frozen=True, kw_only=True)
class FoundPage:
    """A page whose text has the words."""

    identifier: str
    title: str
    page: int
    quote: str


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a search finds, the best first."""

    total: int
    """Number of the objects whose titles or descriptions have the words, also of those left out."""
    objects: list[FoundObject]
    pages: list[FoundPage]


async def search(visitor: Visitor, query: str, most: int) -> Found:
    """Return up to `most` objects, and some of the pages, that have the words. Raises ToolError."""
    path = f"/inside/3/search-2?q={quote(query, safe='')}"
    (total, cards), matches = await asyncio.gather(
        TitleSearch(visitor).find(query, most), visitor.read_json(path, Matches)
    )
    return Found(
        total=total,
        objects=[_describe_card(visitor.base, card) for card in cards],
        pages=list(_list_pages(matches).values())[:MAX_PAGES],
    )


def _describe_card(base: str, card: Card) -> FoundObject:
    kind, identifier, label, line, *_ = card
    kind = "collection" if kind == "collection" else "object"
    return FoundObject(
        identifier=identifier,
        kind=kind,
        title=join_texts({language: [text] for language, text in label.items()}),
        line=line,
        page_address=base + show_path(kind, identifier),
    )


def _list_pages(matches: Matches) -> dict[tuple[str, int], FoundPage]:
    """Return the first match on each page."""
    quotes = {
        quoted.source: quoted.selector
        for contexts in matches.annotations
        for context in contexts.items
        for quoted in _as_list(context.target)
    }
    pages: dict[tuple[str, int], FoundPage] = {}
    for match in matches.items:
        canvas = _as_list(match.target)[0]
        number = _CANVAS.search(canvas.id)
        if not (number and canvas.part_of):
            continue
        manifest = canvas.part_of[0]
        identifier = read_identifier(manifest.id)
        text = "".join(
            f"{one.prefix}{one.exact}{one.suffix}" for one in quotes.get(match.id, [])[:1]
        )
        page = FoundPage(
            identifier=identifier,
            title=join_texts(manifest.label),
            page=int(number[1]),
            quote=text.strip(),
        )
        pages.setdefault((identifier, page.page), page)
    return pages


def _as_list(value: One | list[One]) -> list[One]:
    return value if isinstance(value, list) else [value]
