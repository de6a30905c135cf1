"""Whatever a file holds, it is read or refused with a reason.

Pages of others, which are not ours, are in the folder that OCR_PAGES names (alto/, hocr/, page/).
"""

import io
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.transcription.text_bench import (
    CANVAS,
    alto,
    annotations,
    hocr,
    page_xml,
    read,
    refusal,
)
from vitrine.errors import TextRefused
from vitrine.text.transcription.file_names import SUFFIXES
from vitrine.text.transcription.page_builder import MAX_WORD_LENGTH, MAX_WORDS
from vitrine.text.transcription.page_text import PageText
from vitrine.text.transcription.read_text import read_pages, read_text

FOLDER = Path(os.environ.get("OCR_PAGES", "none"))
LINES = "".join(
    f'<TextLine LANG="de"><String CONTENT="w{n}" HPOS="{n}" VPOS="{n}" WIDTH="9" HEIGHT="9"/>'
    '<String CONTENT="Rei" SUBS_TYPE="HypPart1" SUBS_CONTENT="Reise"/><HYP CONTENT="-"/></TextLine>'
    for n in range(3)
)
REGION = (
    '<TextRegion primaryLanguage="German"><TextLine><Coords points="1,2 30,40 -5,7"/><Word>'
    '<Coords points="1,2 30,40"/><TextEquiv index="0"><Unicode>Men⸗</Unicode></TextEquiv></Word>'
    "<TextEquiv><Unicode>Men⸗</Unicode></TextEquiv></TextLine></TextRegion>"
)
ORDERED = (
    '<ReadingOrder><OrderedGroup><RegionRefIndexed index="1" regionRef="a"/>'
    '<UnorderedGroupIndexed index="0" regionRef="t"><RegionRef regionRef="b"/>'
    "</UnorderedGroupIndexed></OrderedGroup></ReadingOrder>"
    '<TableRegion id="t">'
    + REGION.replace("<TextRegion", '<TextRegion id="b"')
    + "</TableRegion>"
    + REGION.replace("<TextRegion", '<TextRegion id="a"')
)
HOCR_LINE = (
    '<p lang="de"><span class="ocr_line" title="bbox 1 2 30 40"><span class="ocrx_word" '
    'title="bbox 1 2 9 9">Rei&shy;</span><del>x</del></span></p>'
)
ITEM = {
    "motivation": "supplementing",
    "body": {"value": "<p>ein Brief</p>", "format": "text/html", "language": "de"},
    "target": {"source": "c#xywh=1,2,3,4"},
}
SEEDS = {
    "1.xml": [alto(LINES), alto(LINES, "mm10"), page_xml(REGION * 2), page_xml(ORDERED)],
    "1.hocr": [hocr(HOCR_LINE * 2)],
    "1.json": [annotations(ITEM, ITEM)],
    "1.txt": ["Ein Reise\u00ad\nbericht"],
}
CHOICES = [(name, seed.encode()) for name, seeds in SEEDS.items() for seed in seeds]
FRAGMENTS = [
    *(b"<", b">", b'"', b"&", b"\0", b"\xff", b"\xad", b"-", b"nan", b"1e308", b"9" * 40, b"\n"),
    *(b"<!ENTITY a 'b'>", b"<!DOCTYPE a [", b"</Page>", b"<Page>", b"\\ud800", b"[[[[", b"<del>"),
    *(
        b"<TextLine>",
        b'<String CONTENT="x',
        b"</span>",
        b"bbox 0 0 0 0",
        b"xywh=0,0,0,0",
        b"<Word>",
        b"<RegionRef>",
        b"</TextRegion>",
        b"<OrderedGroup>",
    ),
]
MUTATIONS = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.integers(0, 40),
        st.sampled_from(FRAGMENTS) | st.binary(max_size=8),
    ),
    max_size=6,
)


def check_page(page: PageText) -> None:
    """Everything on the page is within its limits, inside the canvas, and can be written."""
    assert sum(len(line.words) for line in page.lines) <= MAX_WORDS
    for line in page.lines:
        assert line.words
        for word in line.words:
            assert word.text.split() == [word.text]
            assert len(word.text.encode()) <= MAX_WORD_LENGTH * 4
            for box in word.boxes:
                assert 0 <= box.x < box.x + box.width <= CANVAS.width
                assert 0 <= box.y < box.y + box.height <= CANVAS.height


def check_outcome(name: str, body: bytes) -> None:
    """A file is read, or refused with a code and a sentence that begins with what is wrong."""
    refused: TextRefused | None = None
    try:
        check_page(read(name, body))
        assert len(list(read_pages(name, io.BytesIO(body), [CANVAS] * 3))) <= 3
    except TextRefused as error:
        refused = error
    assert refused is None or (refused.code and re.match(r"(it|its|\d+ of its) ", str(refused)))


@given(st.sampled_from(CHOICES), MUTATIONS)
def test_a_damaged_document_is_read_or_refused_and_raises_nothing_else(
    choice: tuple[str, bytes], mutations: list[tuple[float, int, bytes]]
) -> None:
    name, body = choice
    for place, length, fragment in mutations:
        start = int(place * len(body))
        body = body[:start] + fragment + body[start + length :]
    check_outcome(name, body)


@given(st.sampled_from(SUFFIXES), st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(suffix: str, body: bytes) -> None:
    check_outcome(f"1{suffix}", body)


def test_every_seed_is_read() -> None:
    assert all(read(name, body).lines for name, body in CHOICES)


@pytest.mark.parametrize("name", ["1.pdf", "1", "xml", ""])
def test_a_name_that_does_not_say_the_format_is_refused(name: str) -> None:
    assert refusal(name, alto(LINES))[0] == "format"


def test_a_file_of_another_format_in_xml_is_refused() -> None:
    code, sentence = refusal("1.xml", "<document/>")
    assert (code, sentence) == (
        "format",
        "its root 'document' is of neither ALTO, PAGE nor hOCR",
    )


@pytest.mark.skipif(
    not FOLDER.is_dir(), reason="NOT TESTED: OCR_PAGES names no folder of others' pages of OCR"
)
@pytest.mark.parametrize("folder", ["alto", "hocr", "page", "finereader", "miniocr"])
def test_every_page_of_others_is_read_or_refused_with_a_reason(folder: str) -> None:
    counts: Counter[str] = Counter()
    for path in sorted((FOLDER / folder).iterdir()):
        with path.open("rb") as file:
            try:
                page = read_text(path.name, file, CANVAS)
            except TextRefused as refused:
                counts[f"refused: {refused}"] += 1
                continue
        check_page(page)
        counts["pages"] += 1
        counts["words"] += sum(len(line.words) for line in page.lines)
        counts["words on two lines"] += sum(
            len(word.boxes) > 1 for line in page.lines for word in line.words
        )
        counts["boxes outside"] += page.outside
    print(f"\n{folder}:", *(f"  {count:6,} {what}" for what, count in counts.items()), sep="\n")
    assert counts["words"] or folder in ("finereader", "miniocr")
