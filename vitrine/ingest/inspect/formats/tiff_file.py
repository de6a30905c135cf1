"""A master's TIFF directories, read strictly: libtiff would guess or mend silently."""

from collections.abc import Iterator
from contextlib import contextmanager

from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.ingest.rejections import damaged_file, too_many_pages
from vitrine.store.ranged import whole_ranges
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import Bounds, Directory, TiffReader, TooManyPages
from vitrine.store.tiff.tags import Tag

_VALUE_BYTES = 256 << 20
"""Twice the bytes of the offsets, 8 each, of the most strips that we accept."""
_TOTAL_BYTES = 1 << 30


def tiff_reader(file: MasterBytes, most_pages: int) -> TiffReader:
    """Return a reader with the bounds of a master. Raises MalformedTiff."""
    bounds = Bounds(pages=most_pages, value_bytes=_VALUE_BYTES, total_bytes=_TOTAL_BYTES)
    return TiffReader(whole_ranges(file), file.size, bounds)


@contextmanager
def malformed_is_rejected(most_pages: int) -> Iterator[None]:
    """Turn errors of an unreadable TIFF into MasterRejected: damaged-file, too-many-pages."""
    try:
        yield
    except TooManyPages as error:
        raise too_many_pages(most_pages) from error
    except MalformedTiff as error:
        raise damaged_file(str(error)) from error


def size_of(page: Directory) -> tuple[int, int]:
    """Return width and height in pixels, 0 where absent. Raises MalformedTiff."""
    return page.integer(Tag.IMAGE_WIDTH, 0), page.integer(Tag.IMAGE_LENGTH, 0)


def area_of(page: Directory) -> int:
    """Return the number of pixels. Raises MalformedTiff."""
    width, height = size_of(page)
    return width * height
