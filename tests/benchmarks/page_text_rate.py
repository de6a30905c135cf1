"""Pages of OCR per second of one core: ALTO, PAGE XML and hOCR of the same words, read.

    python -m tests.benchmarks.page_text_rate [--rounds 5] [--pages 40] [--words 400]

Pages are made up: lines of ten words, each with its box; every fifth line ends with a hyphenated
word. Each round reads all formats in turn. Memory is by how much reading one large page, and
holding what was read, raises the largest resident size of a process; one for each format.
"""

import argparse
import io
import json
import subprocess
import sys
import time
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

from loadtest.figures.order_statistics import median
from vitrine.present.text.page_text import CanvasSize
from vitrine.present.text.read_text import read_text

ROOT = Path(__file__).parents[2]
CANVAS = CanvasSize(2500, 3500)
WORDS_A_LINE = 10
ALTO = (
    '<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout><Page WIDTH="2500" '
    'HEIGHT="3500"><PrintSpace><TextBlock LANG="de">{}</TextBlock></PrintSpace></Page></Layout>'
    "</alto>"
)
PAGE = (
    '<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"><Page '
    'imageWidth="2500" imageHeight="3500"><TextRegion primaryLanguage="German">{}</TextRegion>'
    "</Page></PcGts>"
)
HOCR = (
    '<html><body><div class="ocr_page" title="bbox 0 0 2500 3500" lang="de">{}</div></body></html>'
)


def write_page(name: str, words: int) -> bytes:
    """Return a page in the format of a name."""
    lines = range(max(words // WORDS_A_LINE, 1))
    wrapper, line = {
        "page.alto": (ALTO, "<TextLine>{}</TextLine>"),
        "page.xml": (PAGE, "<TextLine>{}</TextLine>"),
        "page.hocr": (HOCR, '<span class="ocr_line">{}</span>'),
    }[name]
    rows = (line.format(_write_words(name, number)) for number in lines)
    return wrapper.format("".join(rows)).encode()


def _write_words(name: str, number: int) -> str:
    x, y = [240 * place + 20 for place in range(WORDS_A_LINE)], number % 60 * 55 + 20
    texts = [f"Wort{number}x{place}" for place in range(WORDS_A_LINE)]
    if number % 5 == 0:
        texts[-1] += "\u00ad"
    both = zip(x, texts, strict=True)
    if name == "page.alto":
        form = (
            '<String CONTENT="{1}" HPOS="{0}" VPOS="{2}" WIDTH="200" HEIGHT="40" WC="0.93"/><SP/>'
        )
    elif name == "page.xml":
        form = (
            '<Word><Coords points="{0},{2} {3},{2} {3},{4} {0},{4}"/><TextEquiv><Unicode>{1}'
            "</Unicode></TextEquiv></Word>"
        )
    else:
        form = '<span class="ocrx_word" title="bbox {0} {2} {3} {4}; x_wconf 93">{1}</span> '
    return "".join(form.format(left, text, y, left + 200, y + 40) for left, text in both)


def measure_rate(name: str, pages: int, words: int) -> float:
    """Return pages per second of CPU."""
    body = write_page(name, words)
    began = time.process_time()
    for _ in range(pages):
        read_text(name, io.BytesIO(body), CANVAS)
    return pages / (time.process_time() - began)


def measure_memory(name: str, words: int) -> dict[str, float]:
    """Return MiB by which reading one page raises the resident size, and MiB of the file."""
    body = write_page(name, words)
    read_text(name, io.BytesIO(write_page(name, 10)), CANVAS)
    before = getrusage(RUSAGE_SELF).ru_maxrss
    page = read_text(name, io.BytesIO(body), CANVAS)
    grown = getrusage(RUSAGE_SELF).ru_maxrss - before
    assert page.lines
    return {"file": len(body) / (1 << 20), "grown": grown / 1024}


def main() -> None:
    """Print the medians and all rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--words", type=int, default=400)
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory_of:
        print(json.dumps(measure_memory(arguments.memory_of, arguments.words)))
        return
    names = ("page.alto", "page.xml", "page.hocr")
    rates: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(arguments.rounds):
        for name in names:
            rates[name].append(measure_rate(name, arguments.pages, arguments.words))
    for name in names:
        rounds = " ".join(f"{rate:,.0f}" for rate in rates[name])
        print(f"{name}: {median(rates[name]):,.0f} pages/s of {arguments.words} words ({rounds})")
        command = [sys.executable, "-m", "tests.benchmarks.page_text_rate", "--memory-of", name]
        done = subprocess.run(
            [*command, "--words", "50000"], cwd=ROOT, check=True, capture_output=True, text=True
        )
        found = json.loads(done.stdout)
        print(f"  50,000 words: file {found['file']:.1f} MiB, memory {found['grown']:.1f} MiB more")


if __name__ == "__main__":
    main()
