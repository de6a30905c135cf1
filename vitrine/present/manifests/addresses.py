"""The addresses of what is presented, all below one host."""

from dataclasses import dataclass
from urllib.parse import quote

from vitrine.iiif.address import image_path
from vitrine.iiif.version import Version

ROOT = "/presentation/"
VERSIONS = (3, 2)
"""Of the Presentation API, the newest first."""
KINDS = ("manifest", "collection")


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
        return f"{self._folder(identifier)}/manifest.json"

    def collection(self, identifier: str, page: int = 0) -> str:
        """Return the address of a collection, or of one of its pages, which count from 1."""
        return f"{self._folder(identifier)}/collection{f'-{page}' if page else ''}.json"

    def part(self, identifier: str, kind: str, name: str | int) -> str:
        """Return the URI of a part of a manifest; it is a name, and need not be answered."""
        return f"{self._folder(identifier)}/{kind}/{name}"

    def _folder(self, identifier: str) -> str:
        return f"{self.base}{ROOT}{self.version}/{quote(identifier, safe='')}"
