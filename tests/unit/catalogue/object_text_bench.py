"""Objects whose pages have texts."""

import json
from collections.abc import Mapping
from typing import Any

import brotli

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench, book
from vitrine.iiif.presentation.model import Canvas
from vitrine.store.layout import text_key, text_page_key
from vitrine.store.publications import Published, decode_page
from vitrine.text.transcription.page_text import CanvasSize, Line, PageText, TextBox, Word
from vitrine.text.transcription.stored_text import CONTENT_TYPE, encode_text, text_name

SIZE = CanvasSize(800, 600)


class TextBench(ObjectBench):
    """Objects whose pages have texts."""

    def store(self, text: str, canvas: CanvasSize = SIZE) -> str:
        """Store a text of one line; return its name."""
        words = text.split()
        line = Line(
            tuple(Word(word, (TextBox(10 * n, 20, 8, 6),)) for n, word in enumerate(words)), "de"
        )
        name = text_name(text, 0, canvas)
        body = encode_text(PageText((line,)), canvas)
        self.records.put(text_key(name), body, content_type=CONTENT_TYPE)
        return name

    def put(self, *texts: str, **changes: Any) -> None:
        """Publish the book with these texts; of "" a page has none."""
        canvases = tuple(
            Canvas(image=image, text=self.store(text) if text else "")
            for image, text in zip(IMAGES, texts, strict=True)
        )
        self.objects.put(book(canvases=canvases, **changes))

    def shown(self, identifier: str = "book") -> Published:
        """What an identifier answers with."""
        publication = self.published(identifier)
        assert isinstance(publication, Published)
        return publication

    def annotations(self, number: int, version: int = 3) -> Mapping[str, Any]:
        """The document with the text of a canvas."""
        key = text_page_key("book", self.shown().texts[number - 1])
        document: dict[str, Any] = json.loads(
            brotli.decompress(decode_page(self.site.get(key)[0])[version])
        )
        return document

    def keys(self, part: str) -> list[str]:
        """The keys of the site that have a part."""
        return [entry.key for entry in self.site.list_keys().entries if part in entry.key]
