"""Which page of a TIFF is the picture: the largest one that is no mask, wherever it is.

Source: TIFF 6.0, NewSubfileType and transparency masks; TIFF Technical Note 1 (SubIFDs).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from vitrine.ingest import rejections
from vitrine.ingest.inspect.curator_notes import MasterNote, mask_left_out, pages_left_out
from vitrine.ingest.inspect.formats.tiff_file import area_of, size_of
from vitrine.ingest.inspect.formats.tiff_strips import check_parts_present
from vitrine.store.tiff.reading import Directory, TiffReader
from vitrine.store.tiff.tags import Tag

_REDUCED, _MASK = 1, 4
_MASK_COLOURS = 4
_RAW_COLOURS = frozenset({32803, 34892})
_GRAY = frozenset({0, 1})
_SAME_SHAPE = 0.05
"""Difference between the proportions of a picture and its smaller copies."""


@dataclass(frozen=True)
class ChosenPage:
    """The picture's directory, and the page that describes it: itself, or its parent."""

    directory: Directory
    parent: Directory
    number: int
    """Number of `parent` in the chain of pages, from 0."""
    pages: int
    """Pages in the chain."""
    notes: tuple[MasterNote, ...]


def choose_page(reader: TiffReader) -> ChosenPage:
    """Choose the largest page or sub-image that is no mask. Raises MasterRejected, MalformedTiff.

    Camera raw is rejected: TIFFs of previews, with a sensor's data in a sub-image, which are of
    one band where the preview has colours.
    """
    pages = reader.pages()
    images = [*((page, page) for page in pages), *_sub_images(reader, pages)]
    if any(Tag.DNG_VERSION in page for page in pages):
        raise rejections.unsupported_format("Camera raw (DNG)")
    if any(_read_photometric(image) in _RAW_COLOURS for image, page in images if image is not page):
        raise rejections.unsupported_format("Camera raw")
    candidates = [both for both in images if not _is_mask(both[0])] or images
    chosen, parent = max(candidates, key=lambda both: area_of(both[0]))
    if _read_photometric(chosen) in _GRAY and _read_photometric(parent) not in _GRAY:
        raise rejections.unsupported_format("Camera raw")
    if len(pages) > 1:
        check_parts_present(pages, reader.size)
    return ChosenPage(
        directory=chosen,
        parent=parent,
        number=pages.index(parent),
        pages=len(pages),
        notes=_list_notes(chosen, parent, [image for image, _ in images if image is not chosen]),
    )


def _sub_images(
    reader: TiffReader, pages: list[Directory]
) -> Iterator[tuple[Directory, Directory]]:
    for page in pages:
        for offset in page.integers(Tag.SUB_IFDS):
            yield reader.directory(offset), page


def _read_photometric(page: Directory) -> int:
    return page.integer(Tag.PHOTOMETRIC, -1)


def _is_mask(page: Directory) -> bool:
    marked = page.integer(Tag.NEW_SUBFILE_TYPE, 0) & _MASK
    return bool(marked) or _read_photometric(page) == _MASK_COLOURS


def _list_notes(
    chosen: Directory, parent: Directory, others: list[Directory]
) -> tuple[MasterNote, ...]:
    """Return notes about masks, and about pages that show something else than the chosen one."""
    masks = [page for page in others if _is_mask(page) and size_of(page) == size_of(chosen)]
    notes: tuple[MasterNote, ...] = (mask_left_out(f"{len(masks)} of them"),) if masks else ()
    pages = [page for page in others if page is not parent and not _is_mask(page)]
    left_out = [page for page in pages if _shows_something_else(page, chosen)]
    if left_out:
        notes += (pages_left_out(f"{len(left_out)} of {len(pages) + 1} pages"),)
    return notes


def _shows_something_else(page: Directory, chosen: Directory) -> bool:
    """Return True for the pages of a book, or a slide's label; not for smaller copies."""
    if page.integer(Tag.NEW_SUBFILE_TYPE, 0) & _REDUCED:
        return False
    if area_of(page) * 2 > area_of(chosen):
        return True
    (width, height), (full_width, full_height) = size_of(page), size_of(chosen)
    expected = full_height * width / max(full_width, 1)
    return abs(expected - height) > max(2, _SAME_SHAPE * height)
