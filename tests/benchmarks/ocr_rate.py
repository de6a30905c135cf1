"""Measures what reading a page by OCR takes: `python -m tests.benchmarks.ocr_rate --pages 10`.

Pages are set with the words of a licence that every Debian has, black on white, at 300 dots per
inch: no scan, so real pages take longer, and more so the worse they are. Each is read as the Lambda
reads it, from a pyramid, with one thread. Prints the medians of CPU seconds and memory for a page,
and what a thousand pages cost by these seconds.
"""

import argparse
import resource
import tempfile
from pathlib import Path

import pyvips

from loadtest.figures.order_statistics import median
from vitrine.costs.prices import price
from vitrine.present.ocr.page_image import PageImage
from vitrine.present.ocr.page_reader import tesseract_reader
from vitrine.present.text.page_text import CanvasSize

WORDS = Path("/usr/share/common-licenses/GPL-3")
PAGE = CanvasSize(2_480, 3_508)
"""A4 at 300 dots per inch."""
MARGIN = 240
MEMORY_MEBIBYTES = 1_769
REGION = "eu-west-1"
VCPU_GIBIBYTES = MEMORY_MEBIBYTES / 1_024


def main() -> None:
    """Print the measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--words", type=int, default=400, help="Words of a page.")
    parser.add_argument("--languages", default="eng")
    options = parser.parse_args()
    reader = tesseract_reader(memory_mebibytes=MEMORY_MEBIBYTES, megapixels=40)
    seconds, found = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.pages):
            page = draw_page(Path(folder), number * options.words, options.words)
            before = _child_seconds()
            text = reader.read(page, options.languages, PAGE)
            seconds.append(_child_seconds() - before)
            found.append(sum(len(line.words) for line in text.lines))
    middle = median(seconds)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1_024
    second = VCPU_GIBIBYTES * price("Lambda, GB-second", REGION).usd
    print(
        f"{reader.described}, {options.languages}, {options.pages} pages of {options.words} words"
    )
    print(f"words found, median: {median(found):,.0f}")
    print(f"CPU seconds of a page, median: {middle:.1f}, most: {max(seconds):.1f}")
    print(f"memory of Tesseract, peak MiB: {memory:,.0f}")
    print(f"a thousand pages: {middle / 3.6:.2f} hours, ${1_000 * middle * second:.2f}")


def draw_page(folder: Path, first: int, count: int) -> PageImage:
    """Write a page with some words of the licence."""
    words = WORDS.read_text().replace("<", "").replace(">", "").replace("&", "").split()
    text = " ".join(words[(first + place) % len(words)] for place in range(count))
    width = PAGE.width - 2 * MARGIN
    lines = pyvips.Image.text(text, font="serif 10", dpi=300, width=width).invert()
    page = lines.embed(MARGIN, MARGIN, PAGE.width, PAGE.height, extend="white")
    path = folder / "page.png"
    page.write_to_file(str(path))
    return PageImage(path)


def _child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
