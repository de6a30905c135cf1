"""What to answer: a pure function of the address, the identifier's record and the limits."""

from dataclasses import dataclass

from vitrine.deliver.tiles import TilePosition, tile_position
from vitrine.errors import ImageGone, RequestError, UnknownImage, UnsupportedRequest
from vitrine.identify.decide import Decision, MovedTo, Serve, Unknown, Withdrawn
from vitrine.iiif.address import Address
from vitrine.iiif.format import FORMATS
from vitrine.iiif.request import ResolvedRequest, parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import Version
from vitrine.records import Live


@dataclass(frozen=True)
class Tile:
    """A tile just as the pyramid stores it."""

    image: Live
    request: ResolvedRequest
    position: TilePosition


@dataclass(frozen=True)
class Derivative:
    """Any other image that has to be rendered."""

    image: Live
    request: ResolvedRequest


@dataclass(frozen=True)
class Info:
    """The image information document of this version."""

    image: Live
    version: Version


@dataclass(frozen=True)
class Redirect:
    """Elsewhere: `path` is percent-encoded."""

    status: int
    path: str


@dataclass(frozen=True)
class Gone:
    """A tombstone."""

    reason: str
    since: str

    def error(self) -> RequestError:
        """What the client is told."""
        return ImageGone(f"withdrawn {self.since}: {self.reason}".rstrip(": "))


@dataclass(frozen=True)
class Missing:
    """Never heard of."""

    identifier: str

    def error(self) -> RequestError:
        """What the client is told."""
        return UnknownImage(f"there is no image {self.identifier[:255]!r}")


@dataclass(frozen=True)
class Invalid:
    """Malformed, or beyond what this server does."""

    reason: RequestError

    def error(self) -> RequestError:
        """What the client is told."""
        return self.reason


Answer = Tile | Derivative | Info | Redirect | Gone | Missing | Invalid


def decide_without_record(address: Address) -> Redirect | Invalid | None:
    """The answer where the address alone gives it, so that nobody need be asked."""
    if address.version is None:
        return Redirect(301, address.path())
    if address.is_base or address.is_info:
        return None
    try:
        parse_image_request(address.parameters, address.version)
    except RequestError as error:
        return Invalid(error)
    return None


def decide(address: Address, found: Decision, limits: Limits) -> Answer:
    """The answer for a versioned address, whose identifier's record led to `found`."""
    version = address.best_version()
    match found:
        case Unknown():
            return Missing(address.identifier)
        case Withdrawn(reason, since):
            return Gone(reason, since)
        case MovedTo(identifier):
            return Redirect(301, Address(version, identifier, address.parameters).path())
        case Serve(image):
            if address.is_base:
                return Redirect(303, f"{address.path()}/info.json")
            if address.is_info:
                return Info(image, version)
            return _decide_image(address, version, image, limits)


def _decide_image(address: Address, version: Version, image: Live, limits: Limits) -> Answer:
    try:
        parsed = parse_image_request(address.parameters, version)
        request = resolve(parsed, image.width, image.height, limits)
        _check_support(request)
    except RequestError as error:
        return Invalid(error)
    position = tile_position(image, request)
    return Tile(image, request, position) if position else Derivative(image, request)


def _check_support(request: ResolvedRequest) -> None:
    """Raises UnsupportedRequest for a size within the limits that the format cannot hold."""
    longest = FORMATS[request.format].longest_side
    if max(request.width, request.height) > longest:
        raise UnsupportedRequest(f"{request.format} holds at most {longest} pixels on a side")
