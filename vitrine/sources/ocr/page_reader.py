"""Tesseract as what reads pages: its ALTO, read as that of others is."""

import shutil
from functools import partial

from vitrine.sources.ocr.ocr_services import PageReader
from vitrine.sources.ocr.page_image import PageImage
from vitrine.sources.ocr.tesseract import PROGRAM, installed_version, write_alto
from vitrine.text.transcription.page_text import CanvasSize, PageText
from vitrine.text.transcription.read_text import read_text

PAGE_SECONDS = 300
"""Seconds for one page; one of a newspaper takes some 60."""
KEPT_MEBIBYTES = 384
"""Memory of the Lambda that Python, libvips and Lambda itself use."""


def tesseract_reader(*, memory_mebibytes: int, megapixels: int) -> PageReader:
    """Return a reader for a process that has so much memory. Raises OSError without Tesseract."""
    program = shutil.which(PROGRAM)
    if not program:
        raise FileNotFoundError(f"{PROGRAM} is not installed")
    return PageReader(
        read=partial(_read, program, memory_mebibytes - KEPT_MEBIBYTES),
        most_pixels=megapixels * 1_000_000,
        described=installed_version(program),
    )


def _read(
    program: str, mebibytes: int, image: PageImage, languages: str, canvas: CanvasSize
) -> PageText:
    """Return the text of a page. Raises TextRefused."""
    alto = write_alto(
        program,
        image.path,
        image.path.parent,
        languages,
        most_seconds=PAGE_SECONDS,
        most_mebibytes=mebibytes,
        dots_per_inch=image.dots_per_inch,
    )
    with alto.open("rb") as file:
        return read_text(alto.name, file, canvas)
