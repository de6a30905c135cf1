"""The addresses of what is presented: how they are read, and how they are written."""

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import quote

from vitrine.errors import InvalidRequest, UnknownImage
from vitrine.iiif.paths import decode_segment, download_path, image_path
from vitrine.iiif.version import Version

ROOT = "/presentation/"
INSIDE_ROOT = "/inside/"
"""Beginning of addresses that search inside an object."""
NEWEST = 3
"""Version of the Presentation API that an address without one leads to."""
VERSIONS = {"2": 2, "3": 3}
MANIFEST, COLLECTION = "manifest.json", "collection.json"
DOCUMENTS = {"manifest": MANIFEST, "collection": COLLECTION}
"""End of an address, by the kind of document."""
PDF, PLAIN_TEXT = "object.pdf", "text.txt"
"""End of the addresses of a whole object as one file."""
WHOLE_OBJECTS = (PDF, PLAIN_TEXT)
_PAGE = re.compile(r"collection-([1-9][0-9]{0,4})\.json")
_TEXT = re.compile(r"text-([1-9][0-9]{0,4})\.json")
_REMARKS = re.compile(r"annotations-([1-9][0-9]{0,4})\.json")


@dataclass(frozen=True)
class DocumentAddress:
    """A path below `/presentation/`, percent-decoded once."""

    version: int | None
    identifier: str
    """As the client spelled it."""
    document: str
    """MANIFEST, COLLECTION, the name of a page of one, of a canvas's text or of its annotations, or
    one of WHOLE_OBJECTS; empty for `/presentation/{version}/{identifier}`, which redirects."""

    @property
    def page(self) -> int:
        """The number of the page of a collection, from 1; 0 for other documents."""
        found = _PAGE.fullmatch(self.document)
        return int(found[1]) if found else 0

    @property
    def text(self) -> int:
        """The number of the canvas whose text it is, from 1; 0 for other documents."""
        found = _TEXT.fullmatch(self.document)
        return int(found[1]) if found else 0

    @property
    def remarks(self) -> int:
        """The number of the canvas whose annotations they are, from 1; 0 for other documents."""
        found = _REMARKS.fullmatch(self.document)
        return int(found[1]) if found else 0

    @property
    def normalised_identifier(self) -> str:
        """The identifier in Unicode NFC, as records and cache tags are named."""
        return unicodedata.normalize("NFC", self.identifier)

    def path(self) -> str:
        """Return the path of the document, percent-encoded, with its version."""
        return self.path_of(self.identifier)

    def path_of(self, identifier: str) -> str:
        """Return the path of the same document of another object."""
        return document_path(self.version or NEWEST, identifier, self.document or MANIFEST)


@dataclass(frozen=True)
class Addresses:
    """Addresses below `base`, scheme and host, for one version of the Presentation API."""

    base: str
    version: int

    def image(self, version: Version, identifier: str) -> str:
        """Return the base URI of an image."""
        return self.base + image_path(version, identifier)

    def download(self, identifier: str) -> str:
        """Return the address of an image at full resolution, whole."""
        return self.base + download_path(identifier)

    def manifest(self, identifier: str) -> str:
        """Return the address of an object's manifest."""
        return self.base + document_path(self.version, identifier, MANIFEST)

    def collection(self, identifier: str) -> str:
        """Return the address of a collection."""
        return self.base + document_path(self.version, identifier, COLLECTION)

    def whole_object(self, identifier: str, document: str) -> str:
        """Return the address of a whole object as one file, the same in both versions."""
        return self.base + document_path(NEWEST, identifier, document)

    def page(self, identifier: str, number: int) -> str:
        """Return the address of a page of a collection, from 1."""
        return self.base + document_path(self.version, identifier, page_document(number))

    def inside(self, identifier: str, service: str) -> str:
        """Return the address of a service that searches inside an object."""
        return f"{self.base}{inside_path(self.version, identifier, service)}"

    def full_text(self, service: str) -> str:
        """Return the address of a service that searches in the pages of all objects."""
        return f"{self.base}{INSIDE_ROOT}{self.version}/{service}"

    def text_page(self, identifier: str, number: int) -> str:
        """Return the address of the annotations with the text of a canvas, from 1."""
        return self.base + document_path(self.version, identifier, text_document(number))

    def remark_page(self, identifier: str, number: int) -> str:
        """Return the address of the annotations of a canvas that are not its text, from 1."""
        return self.base + document_path(self.version, identifier, remark_document(number))

    def part(self, identifier: str, kind: str, name: str | int) -> str:
        """Return the URI of a part of a manifest; it is a name, and need not be answered."""
        return f"{self.base}{_document_folder(self.version, identifier)}/{kind}/{name}"


def document_path(version: int, identifier: str, document: str) -> str:
    """Return the path of MANIFEST, COLLECTION or a page of one, percent-encoded."""
    return f"{_document_folder(version, identifier)}/{document}"


def inside_path(version: int, identifier: str, service: str) -> str:
    """Return the path of a service that searches inside an object, percent-encoded.

    `version` is that of the Presentation API whose canvases it names.
    """
    return f"{INSIDE_ROOT}{version}/{quote(identifier, safe=':')}/{service}"


def page_document(number: int) -> str:
    """Return what the address of a page of a collection ends with."""
    return f"collection-{number}.json"


def text_document(number: int) -> str:
    """Return what the address of the text of a canvas ends with."""
    return f"text-{number}.json"


def remark_document(number: int) -> str:
    """Return what the address of a canvas's annotations ends with."""
    return f"annotations-{number}.json"


def parse_document_address(path: str) -> DocumentAddress | None:
    """Parse a path as the client sent it, encoded and without query; None if not below ROOT.

    A slash inside an identifier must be written %2F. Raises InvalidRequest, and UnknownImage for
    what is no manifest.
    """
    if not path.startswith(ROOT):
        return None
    segments = path.removeprefix(ROOT).split("/")
    if segments[-1] == "" and len(segments) > 1:
        del segments[-1]
    version = VERSIONS.get(segments[0])
    identifier, *rest = (segments[1:] if version else segments) or [""]
    if not identifier:
        raise InvalidRequest("the address names no object")
    names = [decode_segment(part) for part in rest]
    is_page = len(names) == 1 and any(one.fullmatch(names[0]) for one in (_PAGE, _TEXT, _REMARKS))
    if not is_page and names not in ([], [MANIFEST], [COLLECTION], [PDF], [PLAIN_TEXT]):
        raise UnknownImage("there is no such manifest: slashes of an identifier are written %2F")
    return DocumentAddress(version, decode_segment(identifier), "".join(names))


def _document_folder(version: int, identifier: str) -> str:
    return f"{ROOT}{version}/{quote(identifier, safe=':')}"
