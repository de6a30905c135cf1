"""A whole object as a PDF with its text, or as plain text, sent while it is made (ADR 0050)."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from vitrine.access.rules import OPEN, read_rule
from vitrine.deliver.answer.budgets import Budgets
from vitrine.deliver.answer.cost import price_page
from vitrine.deliver.answer.download import DownloadSlots, disposition
from vitrine.deliver.answer.limit import end_in_time, try_patiently
from vitrine.deliver.answer.lookup import RecordLookup
from vitrine.deliver.answer.object_manifest import (
    Canvas,
    ObjectManifest,
    first_text,
    read_manifest,
)
from vitrine.deliver.answer.page_pictures import PagePictures
from vitrine.deliver.answer.page_texts import PageTexts
from vitrine.deliver.http import headers
from vitrine.deliver.http.exchange import Request, Response
from vitrine.deliver.pdf.document import MAX_SIDE, MIN_SIDE, Page, PdfDocument
from vitrine.deliver.pdf.text_layer import PlacedWord
from vitrine.errors import AccessDenied, InvalidRequest, UnknownImage
from vitrine.identify.resolve import MovedTo, Serve
from vitrine.iiif.presentation.addresses import PDF
from vitrine.iiif.presentation.whole_object import MAX_PDF_PAGES, document_type
from vitrine.records import Live
from vitrine.search.content.packed_pages import PackedPage
from vitrine.text.folding import WITHOUT_SPACES

A4_POINTS = 842.0
"""Height of a usual page of a document; the others have its scale."""
_UTF_8 = "; charset=utf-8"


@dataclass(frozen=True)
class WholeObject:
    """All pages of an object as one file."""

    kind: ClassVar = "download"
    """Word of the metrics for what was requested."""
    identifier: str
    document: str
    """PDF or PLAIN_TEXT."""
    compressed: bytes
    """Its manifest, compressed by Brotli."""
    text_index: str
    """Name of the index of its texts; empty: it has none."""


@dataclass(frozen=True)
class _OpenPage:
    """A canvas whose image everybody may see, with its text."""

    place: int
    """Place of the canvas, from 0."""
    canvas: Canvas
    image: Live
    text: PackedPage | None


@dataclass(frozen=True)
class WholeObjects:
    """Answers with whole objects, page by page. Belongs to one event loop.

    Nothing is kept: a page is in memory while it is sent, and whether everybody may see it is asked
    right before.
    """

    lookup: RecordLookup
    pictures: PagePictures
    texts: PageTexts
    slots: DownloadSlots
    budgets: Budgets
    answer_seconds: float

    async def respond(self, request: Request, answer: WholeObject) -> Response:
        """Return the response, the first page of it made. Raises RequestError."""
        self.slots.check()
        manifest = read_manifest(answer.compressed)
        suffix = answer.document.rpartition(".")[2]
        named = (
            ("content-type", document_type(answer.document) + _UTF_8 * (answer.document != PDF)),
            ("accept-ranges", "none"),
            ("content-disposition", disposition(answer.identifier, suffix)),
            *headers.NO_STORE,
        )
        if answer.document == PDF and len(manifest.items) > MAX_PDF_PAGES:
            raise InvalidRequest(
                f"a PDF has at most {MAX_PDF_PAGES:,} pages, and this object has "
                f"{len(manifest.items):,}: download its images one by one"
            )
        write = self._write_pdf if answer.document == PDF else self._write_text
        pieces = self.slots.stream(write(answer, manifest))
        first = await anext(pieces)
        if request.method == "HEAD":
            # The first page alone says whether there is anything that everybody may see.
            await pieces.aclose()
            return Response(status=200, headers=named)
        return Response(status=200, headers=named, body=first, rest=pieces)

    async def _write_pdf(
        self, answer: WholeObject, manifest: ObjectManifest
    ) -> AsyncGenerator[bytes]:
        document, pages = PdfDocument(manifest.describe(answer.identifier)), dict[int, int]()
        scale = A4_POINTS / manifest.longer_side
        async with aclosing(self._list_open(answer, manifest)) as found:
            async for one in found:
                pages[one.place] = len(pages)
                made = try_patiently(partial(self._make_page, one, scale), "a page")
                page = await end_in_time(made, self.answer_seconds)
                # Tiles of others do not wait for the words of a newspaper.
                yield await asyncio.to_thread(document.add_page, page)
        if not pages:
            raise AccessDenied("no page of this object is shown to everybody by this service")
        missing, remark = len(manifest.items) - len(pages), ""
        if missing:
            remark = (
                f"{missing:,} of {len(manifest.items):,} pages are left out: not everybody may see "
                "them, or another server shows them."
            )
        yield document.end(manifest.list_bookmarks(pages), remark)

    async def _write_text(
        self, answer: WholeObject, manifest: ObjectManifest
    ) -> AsyncGenerator[bytes]:
        about, has_words = manifest.describe(answer.identifier), False
        lines = filter(None, (about.title, about.author, about.rights, about.licence, about.source))
        head = "\n".join(lines)
        async with aclosing(self._list_open(answer, manifest)) as found:
            async for one in found:
                if one.text and one.text.lines:
                    label = first_text(one.canvas.label) or str(one.place + 1)
                    text = "\n".join(map(" ".join, one.text.lines))
                    yield f"{'' if has_words else head}\n\n\f[{label}]\n\n{text}".encode()
                    has_words = True
        if not has_words:
            raise UnknownImage("the pages of this object have no text")
        yield b"\n"

    async def _list_open(
        self, answer: WholeObject, manifest: ObjectManifest
    ) -> AsyncGenerator[_OpenPage]:
        """Yield the pages that everybody may see in full, as things are when each is due."""
        count, base = len(manifest.items), manifest.base
        async with aclosing(self.texts.read(answer.identifier, answer.text_index, count)) as texts:
            place = 0
            async for text in texts:
                canvas = manifest.items[place]
                if image := await self._find_open(canvas.image_at(base)):
                    yield _OpenPage(place, canvas, image, text)
                place += 1

    async def _find_open(self, identifier: str) -> Live | None:
        """Return an image that everybody may see in full, also under a new name; else None."""
        decision = (await self.lookup.find(identifier)).decision if identifier else None
        if isinstance(decision, MovedTo):
            decision = (await self.lookup.find(decision.identifier)).decision
        if isinstance(decision, Serve) and read_rule(decision.image.access) == OPEN:
            return decision.image
        return None

    async def _make_page(self, one: _OpenPage, usual: float) -> Page:
        canvas, image = one.canvas, one.image
        shorter, longer = sorted((canvas.width, canvas.height))
        scale = min(max(usual, MIN_SIDE / shorter), MAX_SIDE / longer)
        height = canvas.height * scale
        self.budgets.count(price_page(image))
        return Page(
            width=canvas.width * scale,
            height=height,
            label=first_text(canvas.label) or str(one.place + 1),
            picture=await self.pictures.read(image),
            words=_place_words(one.text, scale, height) if one.text else (),
        )


def _place_words(page: PackedPage, scale: float, height: float) -> Iterator[PlacedWord]:
    """Yield the words of a page whose place is known, a divided one where it begins."""
    for number, word in enumerate(word for line in page.lines for word in line):
        boxes = page.boxes(number)
        if not (boxes and word):
            continue
        box = boxes[0]
        yield PlacedWord(
            word,
            box.x * scale,
            height - (box.y + box.height) * scale,
            box.width * scale,
            box.height * scale,
            is_spaced=not WITHOUT_SPACES.search(word),
        )
