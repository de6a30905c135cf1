"""Which files of a whole object there are, and what a page of them needs."""

import pytest

from tests.unit.deliver.deliver_records import live
from vitrine.iiif.presentation.addresses import PDF, PLAIN_TEXT
from vitrine.iiif.presentation.whole_object import (
    MAX_PDF_PAGES,
    choose_level,
    estimate_page_bytes,
    offer_documents,
)


@pytest.mark.parametrize(
    ("pages", "open_pages", "has_text", "documents"),
    [
        (1, 1, False, ()),
        (1, 1, True, (PDF, PLAIN_TEXT)),
        (2, 2, False, (PDF,)),
        (2, 1, False, ()),
        (2, 0, True, ()),
        (MAX_PDF_PAGES, 5, False, (PDF,)),
        (MAX_PDF_PAGES + 1, 5, True, (PLAIN_TEXT,)),
    ],
)
def test_an_object_has_the_files_that_are_more_than_one_image(
    pages: int, open_pages: int, has_text: bool, documents: tuple[str, ...]
) -> None:
    assert offer_documents(pages, open_pages, has_text=has_text) == documents


@pytest.mark.parametrize(
    ("width", "height", "level"), [(2_480, 3_508, 0), (5_000, 3_000, 1), (30_000, 40_000, 4)]
)
def test_a_page_is_the_largest_level_that_paper_shows(width: int, height: int, level: int) -> None:
    assert choose_level(live(width=width, height=height)) == level


def test_bytes_of_a_page_are_its_levels_part_of_the_file() -> None:
    image = live(width=5_000, height=3_000, access_master_bytes=8_000_000)
    # A quarter of the largest level, which is three quarters of the file.
    assert estimate_page_bytes(image) == pytest.approx(1_500_000, rel=0.01)
