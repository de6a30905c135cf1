"""A whole object as one file: which files there are, what a page of them needs, how they are named.

What the gateway sends (ADR 0050), manifests link and pages offer.
"""

from collections.abc import Sequence
from typing import Protocol

from vitrine.iiif.presentation.addresses import PDF, PLAIN_TEXT

MAX_PDF_PAGES = 2_000
LONGEST_SIDE = 3_600
"""Pixels: a page of A4 has 300 to the inch, or 150 at least where its level has twice as many."""
_TYPES = {PDF: "application/pdf", PLAIN_TEXT: "text/plain"}


class StoredImage(Protocol):
    """An image and its levels, full resolution first."""

    @property
    def access_master_bytes(self) -> int: ...
    @property
    def levels(self) -> Sequence[tuple[int, int]]: ...


def offer_documents(pages: int, open_pages: int, *, has_text: bool) -> tuple[str, ...]:
    """Return the ends of the addresses of an object as one file.

    `open_pages` of its `pages` have an image here that everybody may see.
    """
    has_pdf = pages <= MAX_PDF_PAGES and open_pages > (0 if has_text else 1)
    return (PDF,) * has_pdf + (PLAIN_TEXT,) * (has_text and open_pages > 0)


def choose_level(image: StoredImage) -> int:
    """Return the largest level that a page of a PDF needs."""
    fitting = (number for number, size in enumerate(image.levels) if max(size) <= LONGEST_SIDE)
    return next(fitting, len(image.levels) - 1)


def estimate_page_bytes(image: StoredImage) -> int:
    """Return about how many bytes a page has: as if all pixels of its image took as many."""
    across, down = image.levels[choose_level(image)]
    stored = sum(wide * high for wide, high in image.levels)
    return round(image.access_master_bytes * across * down / stored)


def document_type(document: str) -> str:
    """Return the media type of a whole object."""
    return _TYPES[document]


def document_label(document: str, pages: int) -> dict[str, list[str]]:
    """Return what people read in place of its address, by language."""
    form = "PDF" if document == PDF else "plain text"
    return {"en": [f"All {pages:,} pages as {form}" if pages > 1 else f"The page as {form}"]}
