"""The text of a master that is on this machine, read from the picture that is published of it."""

import shutil
import tempfile
from pathlib import Path

from vitrine.errors import MasterRejected, TextRefused
from vitrine.ingest.convert.conversion import open_upright
from vitrine.ingest.inspect.header import check_size, read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format
from vitrine.ingest.recipe import STANDARD
from vitrine.sources.ocr.tesseract import write_alto
from vitrine.text.transcription.page_text import CanvasSize
from vitrine.text.transcription.read_text import read_text

MAX_SECONDS = 600
"""For one image; a page of a newspaper takes some 60."""
MAX_PIXELS = 40_000_000
"""Pixels of an image that Tesseract reads; a larger one is reduced to them."""


def read_master(
    program: str, master: Path, text: Path, languages: str, limits: MasterLimits
) -> bool:
    """Write the text of a master as ALTO; return False, and write nothing, if it has no word.

    What is written can be published. Raises TextRefused with the reason if there is nothing to
    write, and OSError.
    """
    with tempfile.TemporaryDirectory(dir=text.parent, prefix=".ocr-") as scratch:
        page = Path(scratch, "page.png")
        size = _write_picture(master, page, limits)
        written = write_alto(program, page, page.parent, languages, most_seconds=MAX_SECONDS)
        with written.open("rb") as file:
            has_words = bool(read_text(written.name, file, size).lines)
        if has_words:
            written.replace(text)
    return has_words


def _write_picture(master: Path, page: Path, limits: MasterLimits) -> CanvasSize:
    """Write a master's picture, upright and grey; return its size as it is published.

    Raises TextRefused and OSError.
    """
    scratch = page.parent / "picture"
    scratch.mkdir()
    try:
        with LocalFile(master) as file:
            check_size(file.size, limits)
            header = read_header(file, detect_format(file.read_at(0, PREFIX_BYTES)), limits)
        with open_upright(master, header, STANDARD, scratch) as opened:
            image = opened.image
            size = CanvasSize(image.width, image.height)
            scale = min((MAX_PIXELS / (image.width * image.height)) ** 0.5, 1)
            if scale < 1:
                image = image.resize(scale).copy(xres=image.xres * scale, yres=image.yres * scale)
            image.colourspace("b-w").pngsave(str(page), compression=1)
    except MasterRejected as rejected:
        raise TextRefused("ocr-image", rejected.rejection.sentence) from None
    finally:
        shutil.rmtree(scratch)
    return size
