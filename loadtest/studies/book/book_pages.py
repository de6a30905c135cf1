"""The pages of a book: one photograph, shifted, as files and as published images."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import pyvips

from loadtest.corpora.photographs import KLEIBER
from loadtest.servers.emulated_place import EmulatedPlace
from loadtest.studies.interleaved_rounds import Say
from rigs.access_master import read_live, write_standard
from vitrine.catalogue.compose import compress
from vitrine.identify.canary import CANARY
from vitrine.iiif.presentation import version3
from vitrine.iiif.presentation.image_resource import describe_image
from vitrine.iiif.presentation.model import Canvas, PublishedObject
from vitrine.iiif.size import Limits
from vitrine.local.debian_files import fetch
from vitrine.records import Live
from vitrine.search.content.build import build_index
from vitrine.store.layout import publication_key, text_index_key
from vitrine.store.publications import Published, encode_publication
from vitrine.text.transcription.page_text import Line, PageText, TextBox, Word

BOOK = "book"
WIDTH, HEIGHT = 2_480, 3_508
"""A4 at 300 pixels to the inch."""
_DIFFERENT = 10
"""Pages that differ; others repeat them under other names."""
_LINES, _WORDS = 40, 9
_INDEX = "words"
_BASE = "https://images.example.org"


@dataclass(frozen=True)
class BookPages:
    """Pages as JPEGs and as access masters, in their order."""

    jpegs: tuple[Path, ...]
    masters: tuple[Path, ...]


def make_pages(folder: Path, count: int, say: Say) -> BookPages:
    """Write pages of a book that are missing. Raises RuntimeError without the photograph."""
    folder.mkdir(parents=True, exist_ok=True)
    masters = []
    for number in range(min(count, _DIFFERENT)):
        jpeg, master = folder / f"different-{number}.jpg", folder / f"different-{number}.tif"
        if not (jpeg.exists() and master.exists()):
            say(f"making page {number + 1} of {_DIFFERENT}")
            picture = _draw_page(number)
            picture.jpegsave(str(jpeg), Q=90, subsample_mode="off")
            write_standard(picture, master)
        masters.append(master)
    jpegs = []
    for number in range(count):
        path = folder / f"page-{number + 1:04}.jpg"
        if not path.exists():
            path.hardlink_to(folder / f"different-{number % _DIFFERENT}.jpg")
        jpegs.append(path)
    return BookPages(tuple(jpegs), tuple(masters[number % _DIFFERENT] for number in range(count)))


def _draw_page(number: int) -> Any:
    source = pyvips.Image.new_from_file(str(fetch(KLEIBER)))
    scale = max(WIDTH / source.width, HEIGHT / source.height)
    picture = source.resize(scale).crop(0, 0, WIDTH, HEIGHT)
    return picture.wrap(x=0, y=97 * number).copy_memory()


def publish_book(place: EmulatedPlace, pages: BookPages) -> None:
    """Publish the pages as one object, with 360 words on each."""
    client, records = place.access.client("s3"), []
    for number, path in enumerate(pages.masters, start=1):
        key = f"page-{number:04}.tif"
        client.upload_file(str(path), place.access_masters, key)
        record = replace(read_live(path, key), access_master_key=key)
        place.write_record(record)
        records.append(record)
    place.write_record(CANARY)
    index = build_index(_write_text() for _ in records)
    published = Published(
        revision=1,
        kind="manifest",
        documents=compress({3: msgspec.json.encode(_describe_book(records))}),
        text_index=_INDEX,
    )
    for key, body in (
        (text_index_key(BOOK, _INDEX), index),
        (publication_key(BOOK), encode_publication(published)),
    ):
        client.put_object(Bucket=place.site, Key=key, Body=body)


def _describe_book(records: list[Live]) -> dict[str, Any]:
    canvases = tuple(Canvas(image=record.identifier) for record in records)
    item = PublishedObject(identifier=BOOK, label={"en": ("A book",)}, canvases=canvases)
    limits = Limits(area=25_000_000)
    images = {
        record.identifier: describe_image(
            record.identifier, record, limits, downloads=True, is_public=True
        )
        for record in records
    }
    return version3.build_manifest(item, images, _BASE)


def _write_text() -> PageText:
    return PageText(tuple(Line(tuple(_write_line(row))) for row in range(_LINES)))


def _write_line(row: int) -> Iterator[Word]:
    for column in range(_WORDS):
        box = TextBox(200 + 240 * column, 200 + 80 * row, 200, 50)
        yield Word(f"word-{row}-{column}", (box,))
