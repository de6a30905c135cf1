"""`vitrine collection ocr`: the text of images that have none yet, by Tesseract."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.collection.display import SHOWN, show_progress
from vitrine.cli.collection.file import Rules, open_rules, usable
from vitrine.cli.console.environment import DEFAULT, Environment
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.errors import TextRefused
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.settings.ingest import IngestSettings
from vitrine.sources.mapping.mapping_file import BUCKET
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.ocr.tesseract import PROGRAM
from vitrine.sources.updates.open_mapper import open_mapper
from vitrine.text.transcription.page_text import MAX_SIDE, CanvasSize
from vitrine.text.transcription.read_text import read_pages

LIMITS = MasterLimits(
    pixels=IngestSettings.maximum_megapixels * 1_000_000,
    bytes=IngestSettings.maximum_master_mebibytes << 20,
)
UNKNOWN_SIZE = CanvasSize(MAX_SIDE, MAX_SIDE)
"""For a text whose image is not looked at; every box is on it."""


@dataclass
class OcrReport:
    """What became of the images."""

    read: int = 0
    had_text: int = 0
    without_words: int = 0
    failures: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Yield lines for people."""
        yield (
            f"Texts: {self.read:,} images read, {self.had_text:,} had a text, "
            f"{self.without_words:,} without a word"
        )
        yield from (f"  not read: {failure}" for failure in self.failures[:SHOWN])
        if len(self.failures) > SHOWN:
            yield f"  and {len(self.failures) - SHOWN:,} more: --json has all"


def ocr(
    rules: Rules,
    languages: Annotated[
        str,
        typer.Option(
            "--languages",
            help="Languages of the pages, as Tesseract names them, such as deu+frk.",
            metavar="NAMES",
        ),
    ] = "eng",
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Read the text of images that have none, with Tesseract, and write it as ALTO.

    What is read is the picture as it is published: upright, and the right page of a file. The texts
    are written to the folder `texts` of [source], by the names of the images; `publish` reads them
    there. An image without a word gets no file. Tesseract and its languages are packages of your
    system. It may be stopped at any moment: the same command continues.

    Exit code 0: every image has a text, or no word. 1: some could not be read, or have a text that
    cannot be published. 2: the file or the table is not
    usable, or Tesseract is not installed.
    """
    with usable():
        mapping, masters = open_rules(rules, environment)
        program = shutil.which(PROGRAM)
        if not program:
            stop(f"{PROGRAM} is not installed: on Debian, it is the package tesseract-ocr.")
        folder = mapping.folders.get("text")
        if folder is None:
            stop(f"{rules} names no folder for the texts: say texts = … in the section [source].")
        found = list(open_mapper(mapping, masters).objects())
        images = dict(pair for one in found if isinstance(one, MappedObject) for pair in _list(one))
        texts = Counter(filter(None, images.values()))
        report = OcrReport()
        folder.mkdir(parents=True, exist_ok=True)
        with show_progress("files", len(texts) + len(images), quiet=as_json) as on_progress:
            usable_texts = _check_texts(texts, report, on_progress)
            for done, (image, text) in enumerate(images.items(), start=1):
                if not text or text in usable_texts:
                    has_words = usable_texts.get(text, False)
                    _read(program, image, text, has_words, folder, languages, report)
                on_progress(len(texts) + done)
    if as_json:
        print_json(vars(report))
    else:
        print_lines(report.lines())
    if report.failures:
        raise typer.Exit(UNSUCCESSFUL)


def _list(mapped: MappedObject) -> Iterator[tuple[str, str]]:
    """Yield the files of an object's images, each with that of its text, or none."""
    texts: Sequence[str] = mapped.texts or [""] * len(mapped.item.canvases)
    for canvas, text in zip(mapped.item.canvases, texts, strict=True):
        if canvas.image in mapped.files:
            yield mapped.files[canvas.image], text


def _check_texts(
    texts: Counter[str], report: OcrReport, on_progress: Callable[[int], None]
) -> dict[str, bool]:
    """Return whether each text has words, of those that can be published; name the others.

    `texts` has the number of images that each is for.
    """
    checked = {}
    for done, (text, images) in enumerate(texts.items(), start=1):
        try:
            checked[text] = _has_words(Path(text), images)
        except TextRefused as refused:
            report.failures.append(
                f"{text} cannot be published: {refused}. Correct it, or delete it and run this "
                "command again"
            )
        on_progress(done)
    return checked


def _has_words(text: Path, images: int) -> bool:
    """Return whether the text of `images` has any words. Raises TextRefused and OSError."""
    if not text.stat().st_size:
        return False
    has_words = False
    with text.open("rb") as file:
        for page in read_pages(text.name, file, [UNKNOWN_SIZE] * images):
            if isinstance(page, TextRefused):
                raise page
            has_words = has_words or bool(page.lines)
    return has_words


def _read(
    program: str,
    image: str,
    text: str,
    has_words: bool,
    folder: Path,
    languages: str,
    report: OcrReport,
) -> None:
    """Write the text of an image, unless it has one with words or another file, and count it."""
    from vitrine.sources.ocr.read_master import read_master  # it loads libvips

    written = folder / f"{Path(image).stem}.xml"
    if has_words:
        report.had_text += 1
        return
    if text and Path(text) != written.absolute():
        report.without_words += 1
        return
    try:
        if image.startswith(BUCKET):
            raise TextRefused(
                "bucket", "it is in a bucket, and only files of this machine are read"
            )
        if read_master(program, Path(image), written, languages, LIMITS):
            report.read += 1
        else:
            report.without_words += 1
    except TextRefused as refused:
        report.failures.append(f"{image}: {refused}")
