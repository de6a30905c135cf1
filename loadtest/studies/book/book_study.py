"""CPU, memory and bytes of a whole book as PDF, ours and that of other programs."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.figures.order_statistics import median
from loadtest.figures.process_memory import PeakWatch, proportional_bytes
from loadtest.figures.request_figures import describe_interruption
from loadtest.report.document import Part, Table, Text, frame_parts
from loadtest.report.format_figure import format_figure
from loadtest.report.saved_run import Report
from loadtest.servers.emulated_place import EmulatedPlace, make_place, running_emulator
from loadtest.servers.pinning import Pinning
from loadtest.studies.book.book_pages import BOOK, BookPages, make_pages, publish_book
from loadtest.studies.encoders import timed_command
from loadtest.studies.interleaved_rounds import Say, StudyRun, Watch, interleave_turns
from loadtest.studies.memory.memory_study import running_image_task
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.errors import VitrineError

OURS, IMG2PDF, OCRMYPDF = "ours", "img2pdf", "ocrmypdf"
MAX_OCRMYPDF = 20
"""Pages that ocrmypdf is given: it takes seconds for each."""
_ABOUT = (
    "A book of {pages:,} pages of A4 at 300 dpi, photographs in JPEG 4:4:4 of quality 90. Ours: "
    "the image task as deployed (nginx, gateway, iipsrv; buckets on an emulator, which is not "
    "counted) has nothing of it in its caches, and sends it with 360 invisible words a page. "
    "img2pdf puts the same pages' JPEG files into a PDF without any text. ocrmypdf gets a PDF of "
    "img2pdf's, of {ocr_pages} pages at most, and runs without OCR (--tesseract-timeout 0 "
    "--optimize 0 --output-type pdf --jobs 1). CPU is user and system; memory is the most at a "
    "time, of ours that of all processes with shared pages divided among them."
)
_PAGE = re.compile(rb"/Type /Page /")
_LABELS = ("CPU ms a page", "bytes a page", "peak MiB", "seconds a page")
Values = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class BookStudy:
    """The book, and how often it is made."""

    pages: int = 300
    rounds: int = 3
    scratch: Path = Path(".build/studies")


def compare_books(study: BookStudy, say: Say, watch: Watch) -> dict[str, Any]:
    """Return the figures of all rounds. Raises VitrineError, KeyboardInterrupt."""
    pages = make_pages(study.scratch.resolve() / "book", study.pages, say)
    run, rows = StudyRun(say, watch, Pinning()), list[dict[str, Any]]()
    names = [OURS, *(name for name in (IMG2PDF, OCRMYPDF) if shutil.which(name))]
    with running_emulator() as port, tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        place = make_place(port)
        say("publishing the book")
        publish_book(place, pages)
        makers: Mapping[str, Callable[[Path], Values]] = {
            OURS: lambda file: _download_book(place, port, file, study.pages),
            IMG2PDF: lambda file: _run_img2pdf(pages, file),
            OCRMYPDF: lambda file: _run_ocrmypdf(pages, file),
        }
        with run.keep_partial(rows):
            for number, name in interleave_turns(names, study.rounds):
                say(f"round {number} of {study.rounds}: {name}")
                values = makers[name](Path(folder) / f"{name}.pdf")
                rows.append({"round": number, "program": name, "values": values})
    return {
        **run.as_json(),
        "about": _ABOUT.format(pages=study.pages, ocr_pages=MAX_OCRMYPDF),
        "rounds_of": study.rounds,
        "medians": {name: _take_medians(rows, name) for name in names},
        "rounds": rows,
    }


def _download_book(place: EmulatedPlace, port: int, file: Path, pages: int) -> Values:
    """Raises VitrineError if the file has not all pages."""
    with running_image_task(place, port, REPOSITORY) as rig:
        before, began = sum(rig.cpu_seconds().values()), time.monotonic()
        with PeakWatch(lambda: proportional_bytes(rig.process_ids())) as peak:
            address = f"{rig.url}/presentation/3/{BOOK}/object.pdf"
            with urllib.request.urlopen(address, timeout=600) as answer, file.open("wb") as pdf:
                shutil.copyfileobj(answer, pdf)
        seconds = time.monotonic() - began
        cpu_seconds = sum(rig.cpu_seconds().values()) - before
    found = len(_PAGE.findall(file.read_bytes()))
    if found != pages:
        raise VitrineError(f"the PDF has {found:,} of {pages:,} pages")
    return _as_values(file, pages, cpu_seconds, seconds, peak.peak_bytes)


def _run_img2pdf(pages: BookPages, file: Path) -> Values:
    return _time_command([IMG2PDF, *map(str, pages.jpegs), "-o", str(file)], file, len(pages.jpegs))


def _run_ocrmypdf(pages: BookPages, file: Path) -> Values:
    few, source = pages.jpegs[:MAX_OCRMYPDF], file.with_name("source.pdf")
    subprocess.run([IMG2PDF, *map(str, few), "-o", str(source)], check=True)
    options = ("-q", "--tesseract-timeout", "0", "--optimize", "0", "--output-type", "pdf")
    command = [OCRMYPDF, *options, "--jobs", "1", str(source), str(file)]
    return _time_command(command, file, len(few))


def _time_command(command: list[str], file: Path, pages: int) -> Values:
    timed = [sys.executable, timed_command.__file__, *command]
    done = subprocess.run(timed, capture_output=True, text=True)
    if done.returncode:
        raise VitrineError(f"{command[0]} failed: {done.stderr.strip()[-500:]}")
    figures = json.loads(done.stdout.splitlines()[-1])
    cpu, wall, peak = (figures[name] for name in ("cpu_seconds", "wall_seconds", "peak_bytes"))
    return _as_values(file, pages, cpu, wall, peak)


def _as_values(
    file: Path, pages: int, cpu_seconds: float, seconds: float, peak_bytes: int
) -> Values:
    found = (
        1e3 * cpu_seconds / pages,
        file.stat().st_size / pages,
        peak_bytes / 2**20,
        seconds / pages,
    )
    return dict(zip(_LABELS, found, strict=True))


def _take_medians(rows: list[dict[str, Any]], program: str) -> Values:
    own = [row["values"] for row in rows if row["program"] == program]
    return {label: round(median(row[label] for row in own), 3) for label in own[0]} if own else {}


def _report_parts(figures: Mapping[str, Any]) -> list[Part]:
    medians = {name: values for name, values in figures["medians"].items() if values}
    rows = [
        [label, *(format_figure(values[label]) for values in medians.values())] for label in _LABELS
    ]
    text = f"{figures['about']} Medians of {figures['rounds_of']} rounds, in turns."
    table = Table("Medians of the rounds", ["", *medians], rows)
    remarks = [] if figures["complete"] else [(describe_interruption(figures), True)]
    return frame_parts(iter(remarks), [Text(text), table])


REPORT = Report(bench="book", title="What a whole book as PDF takes", parts=_report_parts)
