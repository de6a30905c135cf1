"""Which pages of an object are to be read by OCR, and the texts of those that were."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from vitrine.access.rules import OPEN, read_rule
from vitrine.iiif.presentation.model import PublishedObject
from vitrine.ports import ObjectStore
from vitrine.records import Live
from vitrine.text.ocr_results.stored import Readings, load_readings, ocr_name

NOBODY_READS = "nobody reads texts in this environment: its [ocr] in environments.toml is missing"


@dataclass(frozen=True)
class OcrPage:
    """A canvas without a text, whose image everybody may see."""

    number: int
    """Its place in the object, from 0."""
    image: Live
    name: str
    """Name of its text."""
    width_mm: float


@dataclass(frozen=True)
class Unread:
    """What has yet to be read of an object."""

    pages: int = 0
    reason: str = ""
    """Why the environment does not read them."""

    @property
    def is_requested(self) -> bool:
        """True if the environment is to read them."""
        return bool(self.pages and not self.reason)


ALL_READ = Unread()


def list_pages(item: PublishedObject, images: Mapping[str, Live]) -> Iterator[OcrPage]:
    """Yield the canvases of an object that OCR is to read or has read.

    Not those of restricted images, whose texts nobody would see: they are read when they are open.
    """
    for number, canvas in enumerate(item.canvases if item.ocr else ()):
        image = images.get(canvas.image)
        if image and not canvas.text and read_rule(image.access) == OPEN:
            yield OcrPage(number, image, ocr_name(image.version, item.ocr), canvas.width_mm)


def list_unread(
    item: PublishedObject, images: Mapping[str, Live], known: Readings
) -> list[OcrPage]:
    """Return the pages that have yet to be read, those first that were tried least.

    Images of the same bytes are one page.
    """
    pages = {page.name: page for page in reversed([*list_pages(item, images)])}
    tries = {name: known.pages[name].tries if name in known.pages else 0 for name in pages}
    unread = [
        page
        for name, page in pages.items()
        if name not in known.pages or known.pages[name].is_unread
    ]
    return sorted(unread, key=lambda page: (tries[page.name], page.number))


def add_texts(
    records: ObjectStore,
    item: PublishedObject,
    images: Mapping[str, Live],
    languages: Collection[str],
) -> tuple[PublishedObject, Unread]:
    """Return the object with the texts that were read of its pages, and what has yet to be read.

    A text that it names itself stays. `languages` are those that the environment reads.
    """
    pages = list(list_pages(item, images))
    if not pages:
        return item, ALL_READ
    known, _ = load_readings(records, item.identifier)
    canvases = list(item.canvases)
    for page in pages:
        found = known.pages.get(page.name)
        if found and (text := found.published_text(page.name)):
            shown = canvases[page.number]
            canvases[page.number] = msgspec.structs.replace(shown, text=text)
    read = msgspec.structs.replace(item, canvases=tuple(canvases))
    unread = len(list_unread(item, images, known))
    return read, Unread(unread, _why_not(item.ocr, languages) if unread else "")


def _why_not(ocr: str, languages: Collection[str]) -> str:
    if not languages:
        return NOBODY_READS
    absent = [name for name in ocr.split("+") if name not in languages]
    if absent:
        return f"this environment reads {'+'.join(languages)}, and not {'+'.join(absent)}"
    return ""
