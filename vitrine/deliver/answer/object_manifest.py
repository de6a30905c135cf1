"""What a document of a whole object needs of its manifest (Presentation API 3.0)."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median_high
from urllib.parse import urlsplit

import brotli
import msgspec

from vitrine.deliver.pdf.document import Bookmark, DocumentDescription
from vitrine.errors import Unavailable
from vitrine.iiif.address import parse_address
from vitrine.iiif.presentation.addresses import ROOT
from vitrine.store.published_document import DAMAGE
from vitrine.store.site_layout import object_page_key, page_path
from vitrine.text.object_facts import Fact, find_facts
from vitrine.text.plain_texts import plain_texts

Texts = dict[str, list[str]]
_NO_LANGUAGE = "none"


class _Service(msgspec.Struct, frozen=True):
    id: str = ""


class _Body(msgspec.Struct, frozen=True):
    service: list[_Service] = []


class _Annotation(msgspec.Struct, frozen=True):
    body: _Body


class _AnnotationPage(msgspec.Struct, frozen=True):
    items: list[_Annotation]


class Canvas(msgspec.Struct, frozen=True):
    """A canvas; sides in pixels."""

    id: str
    width: int
    height: int
    label: Texts = {}
    items: list[_AnnotationPage] = []

    def image_at(self, base: str) -> str:
        """Return the identifier of its image, "" if another server than `base` shows it."""
        services = (one for page in self.items for note in page.items for one in note.body.service)
        for service in services:
            if service.id.startswith(f"{base}/") and (
                address := parse_address(urlsplit(service.id).path)
            ):
                return address.normalised_identifier
        return ""


class Part(msgspec.Struct, frozen=True):
    """A range, or a canvas of one."""

    id: str
    type: str
    label: Texts = {}
    items: list["Part"] = []


class Statement(msgspec.Struct, frozen=True):
    """A line of metadata."""

    label: Texts
    value: Texts


class ObjectManifest(msgspec.Struct, frozen=True, rename="camel"):
    """A manifest."""

    id: str
    label: Texts
    items: list[Canvas]
    structures: list[Part] = []
    metadata: list[Statement] = []
    required_statement: Statement | None = None
    rights: str = ""
    viewing_direction: str = "left-to-right"

    @property
    def base(self) -> str:
        """Scheme and host of its address."""
        return self.id.partition(ROOT)[0]

    @property
    def longer_side(self) -> int:
        """The longer side of a usual page, in pixels."""
        return median_high(max(canvas.width, canvas.height) for canvas in self.items)

    def describe(self, identifier: str) -> DocumentDescription:
        """Return what a document of the object with this identifier says of itself."""
        facts = find_facts(line.label for line in self.metadata)
        maker = self.metadata[facts[Fact.MAKER]].value if Fact.MAKER in facts else {}
        required = self.required_statement.value if self.required_statement else {}
        language = next(iter(self.label), _NO_LANGUAGE)
        return DocumentDescription(
            title=first_text(self.label),
            author=first_text(maker),
            rights=first_text(required),
            licence=self.rights,
            source=self.base + page_path(object_page_key(identifier)),
            language="" if language == _NO_LANGUAGE else language,
            is_right_to_left=self.viewing_direction == "right-to-left",
        )

    def list_bookmarks(self, pages: Mapping[int, int]) -> list[Bookmark]:
        """Return the table of contents; `pages` are those of canvases, by their places."""
        found = {canvas.id: pages.get(place) for place, canvas in enumerate(self.items)}
        return _list_bookmarks(self.structures, found)


def read_manifest(compressed: bytes) -> ObjectManifest:
    """Read a manifest that is compressed by Brotli. Raises Unavailable if it is damaged."""
    try:
        return _decode(brotli.decompress(compressed))
    except DAMAGE as error:
        raise Unavailable("the manifest of this object is damaged") from error


def first_text(texts: Mapping[str, Sequence[str]]) -> str:
    """Return the texts in the first language, as one."""
    found = list(plain_texts(texts))
    return ", ".join(text for language, text in found if language == found[0][0])


def _list_bookmarks(parts: Iterable[Part], pages: Mapping[str, int | None]) -> list[Bookmark]:
    bookmarks = []
    for part in parts:
        if part.type != "Range":
            continue
        inner = _list_bookmarks(part.items, pages)
        canvases = (one.id.partition("#")[0] for one in part.items if one.type == "Canvas")
        own = next((page for one in canvases if (page := pages.get(one)) is not None), None)
        page = own if own is not None else next((one.page for one in inner), None)
        if page is not None:
            bookmarks.append(Bookmark(first_text(part.label), page, inner))
    return bookmarks


_decode = msgspec.json.Decoder(ObjectManifest).decode
