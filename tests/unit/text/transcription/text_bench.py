"""Small pages in every format, and the way to read one."""

import io
import json
from typing import Any

import pytest

from vitrine.errors import TextRefused
from vitrine.text.transcription.page_text import CanvasSize, PageText
from vitrine.text.transcription.read_text import read_text

CANVAS = CanvasSize(1000, 2000)
NS = 'xmlns="http://www.loc.gov/standards/alto/ns-v4#"'
PAGE_NS = 'xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"'


def read(name: str, body: str | bytes, canvas: CanvasSize = CANVAS) -> PageText:
    """What is read of a file."""
    content = body.encode() if isinstance(body, str) else body
    return read_text(name, io.BytesIO(content), canvas)


def refusal(name: str, body: str | bytes, canvas: CanvasSize = CANVAS) -> tuple[str, str]:
    """Code and sentence with which a file is refused."""
    with pytest.raises(TextRefused) as refused:
        read(name, body, canvas)
    return refused.value.code, str(refused.value)


def words(page: PageText) -> list[list[str]]:
    """The words of each line."""
    return [[word.text for word in line.words] for line in page.lines]


def corners(page: PageText) -> list[list[tuple[int, ...]]]:
    """The boxes of each word, without their lines."""
    return [
        [(box.x, box.y, box.width, box.height) for box in word.boxes]
        for line in page.lines
        for word in line.words
    ]


def alto(lines: str, unit: str = "pixel", page: str = 'WIDTH="1000" HEIGHT="2000"') -> str:
    """A document of ALTO 4."""
    return (
        f"<alto {NS}><Description><MeasurementUnit>{unit}</MeasurementUnit></Description>"
        f"<Layout><Page {page}><PrintSpace><TextBlock>{lines}</TextBlock></PrintSpace></Page>"
        "</Layout></alto>"
    )


def page_xml(regions: str, page: str = 'imageWidth="1000" imageHeight="2000"') -> str:
    """A document of PAGE XML 2019."""
    return f"<PcGts {PAGE_NS}><Page {page}>{regions}</Page></PcGts>"


def hocr(lines: str, title: str = "bbox 0 0 1000 2000") -> str:
    """A document of hOCR."""
    return f'<html><body><div class="ocr_page" title="{title}">{lines}</div></body></html>'


def annotations(*items: dict[str, Any]) -> str:
    """An AnnotationPage."""
    return json.dumps({"type": "AnnotationPage", "items": items})
