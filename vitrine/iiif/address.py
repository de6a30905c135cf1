"""An address as it is read: version, identifier, and the parameters of the request."""

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote

from vitrine.errors import InvalidRequest, RequestError, UnknownImage
from vitrine.iiif.paths import DOWNLOAD, ROOT, decode_segment, image_path
from vitrine.iiif.request import ImageRequest, parse_image_request
from vitrine.iiif.version import NEWEST, V2, VERSIONS, Version

INFORMATION = "info.json"
"""End of the address of an image's information."""


@dataclass(frozen=True)
class Address:
    """A path below `/iiif/`, percent-decoded once.

    In an address without a version, `version` is unset. `parameters` is empty for the image's base
    URI, `("info.json",)`, `("download.jpg",)`, or region, size, rotation and `quality.format`.
    """

    version: Version | None
    identifier: str
    """As the client spelled it; `path` and redirects repeat this spelling."""
    parameters: tuple[str, ...]

    @property
    def normalised_identifier(self) -> str:
        """The identifier in Unicode NFC, as records, cache tags and objects are named."""
        return unicodedata.normalize("NFC", self.identifier)

    @property
    def is_info(self) -> bool:
        """True for the image information request."""
        return self.parameters == (INFORMATION,)

    @property
    def is_download(self) -> bool:
        """True for the whole image at full resolution, an address of ours beyond the API."""
        return self.parameters == (DOWNLOAD,)

    @cached_property
    def image_request(self) -> ImageRequest | None:
        """The parameters, parsed once; None for the base URI, `info.json` and `download.jpg`.

        Raises InvalidRequest.
        """
        if len(self.parameters) < 4:
            return None
        return parse_image_request(self.parameters, self.best_version())

    def best_version(self) -> Version:
        """Return the version named, else the newest that has the request: only 2 has `full`."""
        if self.version:
            return self.version
        return V2 if self.parameters[1:2] == ("full",) else NEWEST

    def path(self) -> str:
        """Return the path, percent-encoded, with its version."""
        base = image_path(self.best_version(), self.identifier)
        return "/".join((base, *(quote(part, safe=",:!^.") for part in self.parameters)))


def parse_address(path: str) -> Address | None:
    """Parse a path as the client sent it, encoded and without query; None if not below `/iiif/`.

    A slash inside an identifier must be written %2F. Raises InvalidRequest, and UnknownImage if
    bare slashes make the path too long.
    """
    if not path.startswith(ROOT):
        return None
    version, identifier, *rest = _split_path(path.removeprefix(ROOT))
    parameters = tuple(decode_segment(part) for part in rest)
    has_four = len(parameters) == 4 and "" not in parameters
    if not has_four and parameters not in ((), (INFORMATION,), (DOWNLOAD,)):
        raise _explain_parameters(parameters)
    return Address(VERSIONS.get(version), decode_segment(identifier), parameters)


def _explain_parameters(parameters: tuple[str, ...]) -> RequestError:
    """Return the error for a wrong number of parameters.

    If there are too many, the identifier has bare slashes, which no image's has.
    """
    if len(parameters) > 4 or parameters[-1] in (INFORMATION, DOWNLOAD):
        return UnknownImage("there is no such image: slashes of an identifier are written %2F")
    return InvalidRequest(
        "an address is {identifier}/info.json or"
        " {identifier}/{region}/{size}/{rotation}/{quality}.{format}"
    )


def _split_path(path: str) -> list[str]:
    """Split into version (or ""), identifier and the other segments, still encoded."""
    segments = path.split("/")
    if segments[-1] == "" and len(segments) > 1:
        del segments[-1]
    if segments[0] not in VERSIONS:
        segments.insert(0, "")
    if len(segments) < 2 or not segments[1]:
        raise InvalidRequest("the address names no image")
    return segments
