"""The tool `get_page_text`: what is written on a page of an object."""

from dataclasses import dataclass

import msgspec

from vitrine.iiif.presentation.addresses import document_path, text_document
from vitrine.mcp.objects import VERSION
from vitrine.mcp.visitor import Visitor

MAX_LENGTH = 50_000
"""Characters of a text; a page of a newspaper has about 40,000."""


class Line(msgspec.Struct, frozen=True):
    """The text of a line."""

    value: str
    language: str = ""


class LineAnnotation(msgspec.Struct, frozen=True):
    """The annotation that says it."""

    body: Line


class TextAnnotations(msgspec.Struct, frozen=True):
    """The annotations of a page that are its text."""

    items: list[LineAnnotation] = []


@dataclass(frozen=True, kw_only=True)
class PageText:
    """The text of a page, in the order in which it is read."""

    identifier: str
    page: int
    languages: list[str]
    text: str
    is_whole: bool
    """False if the end of a very long text is left out."""


async def get_page_text(visitor: Visitor, identifier: str, page: int) -> PageText:
    """Return the text of a page, counted from 1. Raises ToolError."""
    path = document_path(VERSION, identifier, text_document(page))
    found = await visitor.read_json(path, TextAnnotations)
    lines = [one.body for one in found.items]
    text = "\n".join(line.value for line in lines)
    return PageText(
        identifier=identifier,
        page=page,
        languages=list(dict.fromkeys(line.language for line in lines if line.language)),
        text=text[:MAX_LENGTH],
        is_whole=len(text) <= MAX_LENGTH,
    )
