"""Files with the pages of a book: each page is read for its canvas."""

import io
from collections.abc import Sequence

import pytest

from tests.unit.text.transcription.text_bench import CANVAS, alto, corners, hocr, page_xml, words
from vitrine.errors import TextRefused
from vitrine.text.transcription import read_text as read_text_module
from vitrine.text.transcription.page_text import CanvasSize, PageText
from vitrine.text.transcription.read_text import read_pages

LARGER = CanvasSize(2000, 4000)
FULL = "bbox 0 0 1000 2000"
ALTO = alto(
    '<TextLine><String CONTENT="one" HPOS="1" VPOS="2" WIDTH="3" HEIGHT="4"/></TextLine>'
    '</TextBlock></PrintSpace></Page><Page WIDTH="1000" HEIGHT="2000"><PrintSpace><TextBlock>'
    '<TextLine><String CONTENT="two" HPOS="1" VPOS="2" WIDTH="3" HEIGHT="4"/></TextLine>'
)
HOCR = hocr(
    '<span class="ocrx_word" title="bbox 1 2 4 6">one</span></div>'
    f'<div class="ocr_page" title="{FULL}"><span class="ocrx_word" title="bbox 1 2 4 6">two</span>'
)


def read_book(name: str, body: str, canvases: Sequence[CanvasSize]) -> list[PageText | TextRefused]:
    """All pages of a file."""
    return list(read_pages(name, io.BytesIO(body.encode()), canvases))


def texts(pages: Sequence[PageText | TextRefused]) -> list[list[list[str]]]:
    """The words of each page that was read."""
    return [words(page) for page in pages if isinstance(page, PageText)]


@pytest.mark.parametrize(("name", "body"), [("1.xml", ALTO), ("1.hocr", HOCR)])
def test_each_page_of_a_file_is_scaled_to_its_own_canvas(name: str, body: str) -> None:
    one, two = read_book(name, body, [CANVAS, LARGER])
    assert texts([one, two]) == [[["one"]], [["two"]]]
    assert isinstance(one, PageText)
    assert isinstance(two, PageText)
    assert (corners(one), corners(two)) == ([[(1, 2, 3, 4)]], [[(2, 4, 6, 8)]])


@pytest.mark.parametrize(("name", "body"), [("1.xml", ALTO), ("1.hocr", HOCR)])
def test_a_file_may_have_fewer_pages_than_there_are_images(name: str, body: str) -> None:
    assert len(read_book(name, body, [CANVAS] * 3)) == 2


def test_a_page_without_words_keeps_its_place() -> None:
    body = page_xml("")[: -len("</PcGts>")]
    region = "<TextRegion><TextEquiv><Unicode>two</Unicode></TextEquiv></TextRegion>"
    body += f'<Page imageWidth="1000" imageHeight="2000">{region}</Page></PcGts>'
    assert texts(read_book("1.xml", body, [CANVAS] * 2)) == [[], [["two"]]]


@pytest.mark.parametrize(("name", "body"), [("1.xml", ALTO), ("1.hocr", HOCR)])
def test_more_pages_than_images_are_refused_since_they_belong_to_another_object(
    name: str, body: str
) -> None:
    three = body.replace("</Layout>", "<Page/></Layout>").replace(
        "</body>", '<div class="ocr_page"></div></body>'
    )
    with pytest.raises(TextRefused, match="more pages than there are images: 2") as refused:
        read_book(name, three, [CANVAS] * 2)
    assert refused.value.code == "pages"


def test_a_page_whose_boxes_are_outside_is_refused_alone() -> None:
    one, two = read_book("1.xml", ALTO.replace('HPOS="1"', 'HPOS="9999"', 1), [CANVAS] * 2)
    assert isinstance(one, TextRefused)
    assert one.code == "outside"
    assert texts([two]) == [[["two"]]]


def test_the_pages_before_the_place_where_a_file_is_damaged_are_there() -> None:
    pages = read_pages("1.xml", io.BytesIO(ALTO[:-30].encode()), [CANVAS] * 2)
    assert texts([next(pages)]) == [[["one"]]]
    with pytest.raises(TextRefused, match="it is not XML"):
        list(pages)


def test_a_book_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_text_module, "MAX_BOOK_BYTES", 1 << 20)
    with pytest.raises(TextRefused, match="larger than 1 MiB"):
        read_book("1.xml", ALTO + " " * (2 << 20), [CANVAS] * 2)
