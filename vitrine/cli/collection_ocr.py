"""`vitrine collection ocr`: the text of images that have none yet, by Tesseract."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.collection_display import SHOWN, show_progress
from vitrine.cli.collection_file import Rules, open_rules, usable
from vitrine.cli.environment import DEFAULT, Environment
from vitrine.cli.printing import print_json, print_lines
from vitrine.cli.program import UNSUCCESSFUL, AsJson, stop
from vitrine.errors import TextRefused
from vitrine.present.mapping.mapping_file import BUCKET
from vitrine.present.mapping.to_objects import MappedObject
from vitrine.present.ocr.tesseract import PROGRAM, write_alto
from vitrine.present.updates.open_mapper import open_mapper

MOST_SECONDS = 600
"""Of one image; a page of a newspaper takes some 60."""


@dataclass
class OcrReport:
    """What became of the images."""

    read: int = 0
    had_text: int = 0
    failures: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Yield lines for people."""
        yield f"Texts: {self.read:,} images read, {self.had_text:,} had a text"
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

    The files are written to the folder `texts` of [source], by the names of the images; `publish`
    reads them there. Tesseract and its languages are packages of your system. It may be stopped at
    any moment: the same command continues.

    Exit code 0: every image has a text. 1: some could not be read. 2: the file or the table is not
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
        images = [image for one in found if isinstance(one, MappedObject) for image in _list(one)]
        report = OcrReport(had_text=sum(has_text for _, has_text in images))
        unread = list(dict.fromkeys(image for image, has_text in images if not has_text))
        folder.mkdir(parents=True, exist_ok=True)
        with show_progress("images", len(unread), quiet=as_json) as on_progress:
            for done, image in enumerate(unread, start=1):
                failure = _read(program, image, folder, languages)
                report.failures += [f"{image}: {failure}"] if failure else []
                report.read += not failure
                on_progress(done)
    if as_json:
        print_json(vars(report))
    else:
        print_lines(report.lines())
    if report.failures:
        raise typer.Exit(UNSUCCESSFUL)


def _list(mapped: MappedObject) -> Iterator[tuple[str, bool]]:
    """Yield the files of an object's images, and True for those that have a text."""
    texts: Sequence[str] = mapped.texts or [""] * len(mapped.item.canvases)
    for canvas, text in zip(mapped.item.canvases, texts, strict=True):
        if canvas.image in mapped.files:
            yield mapped.files[canvas.image], bool(text)


def _read(program: str, image: str, folder: Path, languages: str) -> str:
    """Write the text of an image; return what kept that from happening, or nothing."""
    if image.startswith(BUCKET):
        return "it is in a bucket, and only files of this machine are read"
    with tempfile.TemporaryDirectory(dir=folder, prefix=".ocr-") as scratch:
        try:
            written = write_alto(
                program, image, Path(scratch), languages, most_seconds=MOST_SECONDS
            )
        except TextRefused as refused:
            return str(refused)
        written.replace(folder / f"{Path(image).stem}.xml")
    return ""
