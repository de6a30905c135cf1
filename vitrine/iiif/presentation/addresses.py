"""The addresses of what is presented: how they are read, and how they are written."""

import unicodedata
from dataclasses import dataclass
from urllib.parse import quote

from vitrine.errors import InvalidRequest, UnknownImage
from vitrine.iiif.address import decode_segment, image_path
from vitrine.iiif.version import Version

ROOT = "/presentation/"
NEWEST = 3
"""Version of the Presentation API that an address without one leads to."""
VERSIONS = {"2": 2, "3": 3}
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class ManifestAddress:
    """A path below `/presentation/`, percent-decoded once."""

    version: int | None
    identifier: str
    """As the client spelled it."""
    is_document: bool
    """False for `/presentation/{version}/{identifier}`, which redirects to the manifest."""

    @property
    def normalised_identifier(self) -> str:
        """The identifier in Unicode NFC, as records and cache tags are named."""
        return unicodedata.normalize("NFC", self.identifier)

    def path(self) -> str:
        """Return the path of the manifest, percent-encoded, with its version."""
        return manifest_path(self.version or NEWEST, self.identifier)


@dataclass(frozen=True)
class Addresses:
    """Addresses below `base`, scheme and host, for one version of the Presentation API."""

    base: str
    version: int

    def image(self, version: Version, identifier: str) -> str:
        """Return the base URI of an image."""
        return self.base + image_path(version, identifier)

    def manifest(self, identifier: str) -> str:
        """Return the address of an object's manifest."""
        return self.base + manifest_path(self.version, identifier)

    def collection(self, identifier: str) -> str:
        """Return the address of a collection."""
        return f"{self.base}{_folder(self.version, identifier)}/collection.json"

    def part(self, identifier: str, kind: str, name: str | int) -> str:
        """Return the URI of a part of a manifest; it is a name, and need not be answered."""
        return f"{self.base}{_folder(self.version, identifier)}/{kind}/{name}"


def manifest_path(version: int, identifier: str) -> str:
    """Return the path of a manifest, percent-encoded."""
    return f"{_folder(version, identifier)}/{MANIFEST}"


def parse_manifest_address(path: str) -> ManifestAddress | None:
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
    if names not in ([], [MANIFEST]):
        raise UnknownImage("there is no such manifest: slashes of an identifier are written %2F")
    return ManifestAddress(version, decode_segment(identifier), bool(names))


def _folder(version: int, identifier: str) -> str:
    return f"{ROOT}{version}/{quote(identifier, safe=':')}"
