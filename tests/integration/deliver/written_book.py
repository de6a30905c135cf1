"""A book in a running image task: real access masters, a manifest and the index of its texts."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import pyvips
import requests

from tests.integration.deliver.deliver_gateway_process import SITE
from tests.integration.deliver.recognised_pictures import grainy_coordinates, write_ours
from tests.integration.deliver.stored_rig import StoredRig
from tests.patience import SECONDS
from vitrine.catalogue.compose import compress
from vitrine.iiif.presentation import version3
from vitrine.iiif.presentation.image_resource import describe_image
from vitrine.iiif.presentation.model import Canvas, PublishedObject, Range, Statement
from vitrine.iiif.size import Limits
from vitrine.records import Live
from vitrine.search.content.build import build_index
from vitrine.store.layout import publication_key, text_index_key
from vitrine.store.publications import Published, encode_publication
from vitrine.text.transcription.page_text import Line, PageText, TextBox, Word

BASE = "https://images.example.org"
INDEX = "words"


@dataclass(frozen=True)
class BookPage:
    """A page: its picture, the words of its lines, and its rule of access."""

    picture: pyvips.Image | Path
    """A picture, or the access master itself."""
    lines: Sequence[Sequence[str]] = ()
    access: str = "open"
    label: str = ""

    def text(self) -> PageText:
        """The lines, from top to bottom, with boxes of 20 pixels a sign and 40 of height."""
        lines = []
        for row, words in enumerate(self.lines):
            left, placed = 100, []
            for word in words:
                placed.append(Word(word, (TextBox(left, 100 + 80 * row, 20 * len(word), 40),)))
                left += 20 * (len(word) + 1)
            lines.append(Line(tuple(placed)))
        return PageText(tuple(lines))


@dataclass(frozen=True)
class WrittenBook:
    """A book that is published in a running task under `identifier`."""

    rig: StoredRig
    folder: Path
    pages: Sequence[BookPage]
    identifier: str = "book"
    ranges: tuple[Range, ...] = ()

    def __post_init__(self) -> None:
        images = [self._publish(number, page) for number, page in enumerate(self.pages, start=1)]
        item = PublishedObject(
            identifier=self.identifier,
            label={"de": ("Zürcher Bibel: <I> & II",)},
            rights="http://rightsstatements.org/vocab/NoC-OKLR/1.0/",
            metadata=(Statement(label={"en": ("Author",)}, value={"none": ("Ulrich Zwingli",)}),),
            canvases=tuple(
                Canvas(image=image.identifier, label={"none": (page.label or f"f. {number}",)})
                for number, (image, page) in enumerate(zip(images, self.pages, strict=True))
            ),
            ranges=self.ranges,
        )
        resources = {
            image.identifier: describe_image(
                image.identifier, image, Limits(area=25_000_000), downloads=True, is_public=True
            )
            for image in images
        }
        manifest = version3.build_manifest(item, resources, BASE)
        index = build_index(page.text() for page in self.pages)
        if index:
            self._put(text_index_key(self.identifier, INDEX), index)
        published = Published(
            revision=1,
            kind="manifest",
            documents=compress({3: msgspec.json.encode(manifest)}),
            text_index=INDEX if index else "",
        )
        self._put(publication_key(self.identifier), encode_publication(published))

    def master(self, number: int) -> Path:
        """The access master of a page, from 1."""
        return self.folder / f"{self.identifier}-{number}.tif"

    def _publish(self, number: int, page: BookPage) -> Live:
        path = self.master(number)
        if isinstance(page.picture, Path):
            shutil.copyfile(page.picture, path)
        else:
            write_ours(page.picture, path)
        image = replace(self.rig.publish(path, path.stem), access=page.access)
        self.rig.records[path.stem] = image
        self.rig.write_records()
        return image

    def _put(self, key: str, body: bytes) -> None:
        path = self.rig.rig.store / SITE / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)

    def ask(self, document: str, method: str = "GET") -> requests.Response:
        """The answer to a request for a document of the book."""
        address = f"{self.rig.rig.url}/presentation/3/{self.identifier}/{document}"
        return requests.request(method, address, timeout=SECONDS)


def colour_page(width: int = 1_240, height: int = 1_754, **said: object) -> BookPage:
    """A page on which every place has its colour."""
    return BookPage(grainy_coordinates(width, height), **said)  # type: ignore[arg-type]
