"""Which answer a request gets: pure functions of the address, the record and the limits."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from vitrine.deliver.answer.access_paths import PUBLIC, AccessPath, Elsewhere
from vitrine.deliver.answer.image_view import ImageView
from vitrine.deliver.tiles import TilePosition, tile_position
from vitrine.errors import ImageGone, InvalidRequest, RequestError, TicketRequired, UnknownImage
from vitrine.identify.resolve import MovedTo, Resolution, Serve, Unknown, WithdrawnIdentifier
from vitrine.iiif.address import Address
from vitrine.iiif.format import FORMATS
from vitrine.iiif.request import ImageRequest, ResolvedRequest, parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import NEWEST as NEWEST_IMAGES
from vitrine.iiif.version import Version
from vitrine.records import Live

THUMBNAIL_SIDE = 512
"""Pixels: what lists and search results show."""


class ParsedAddress(NamedTuple):
    """An address that names a version, with parameters that can be read."""

    address: Address
    version: Version
    image_request: ImageRequest | None
    """None for the image's base URI and for its information."""


@dataclass(frozen=True)
class Tile:
    """A tile exactly as the pyramid stores it.

    `stored` is the same in terms of the stored image, where a part of its levels is shown.
    """

    image: Live
    request: ResolvedRequest
    position: TilePosition
    stored: "Tile | None" = None

    @property
    def source(self) -> tuple[Live, ResolvedRequest, TilePosition]:
        """What it is made of, in terms of the stored image."""
        made = self.stored or self
        return made.image, made.request, made.position


@dataclass(frozen=True)
class Derivative:
    """Any other image: it has to be rendered. `stored` as in `Tile`."""

    image: Live
    request: ResolvedRequest
    stored: "Derivative | None" = None

    @property
    def source(self) -> tuple[Live, ResolvedRequest]:
        """What it is made of, in terms of the stored image."""
        made = self.stored or self
        return made.image, made.request


@dataclass(frozen=True)
class Download:
    """The whole image at full resolution, however large."""

    image: Live


@dataclass(frozen=True)
class Info:
    """The image information document of this version."""

    image: Live
    version: Version
    is_whole: bool = True
    """False if only a part of what is stored is shown."""
    access_path: AccessPath = PUBLIC
    is_admitted: bool = True
    """False if those who ask may not see the image, only how to get a ticket for it."""


@dataclass(frozen=True)
class Manifest:
    """The manifest of an image, in this version of the Presentation API."""

    image: Live
    version: int
    is_whole: bool = True


@dataclass(frozen=True)
class PresentationDocument:
    """A manifest or collection that was published, in this version of the Presentation API."""

    compressed: bytes
    """Document, compressed by Brotli."""
    version: int
    identifier: str
    document: str
    """MANIFEST, COLLECTION or the name of a page of one."""


@dataclass(frozen=True)
class RedirectTo:
    """Another address on this host; `path` is percent-encoded."""

    status: int
    path: str


@dataclass(frozen=True)
class Tombstone:
    """An image that was withdrawn, and is not served any more."""

    reason: str
    since: str

    def error(self) -> RequestError:
        """Return the error that the client gets."""
        return ImageGone(f"withdrawn {self.since[:10]}: {self.reason}".rstrip(": "))


@dataclass(frozen=True)
class Missing:
    """An identifier that has no record."""

    identifier: str

    def error(self) -> RequestError:
        """Return the error that the client gets."""
        return UnknownImage(f"there is no image {self.identifier[:255]!r}")


@dataclass(frozen=True)
class Absent:
    """There is nothing to present under this identifier, or not yet."""

    reason: str

    def error(self) -> RequestError:
        """Return the error that the client gets."""
        return UnknownImage(self.reason)


@dataclass(frozen=True)
class Invalid:
    """A request that is malformed, or beyond what this server does."""

    reason: RequestError

    def error(self) -> RequestError:
        """Return the error that the client gets."""
        return self.reason


WithoutImage = (
    Info | Manifest | PresentationDocument | RedirectTo | Tombstone | Missing | Absent | Invalid
)
"""Answers whose bodies hold no pixels."""
Answer = Tile | Derivative | Download | WithoutImage


def parse_parameters(address: Address) -> ParsedAddress | RedirectTo | Invalid:
    """Parse what the address requests, or return the answer that needs no record."""
    if address.version is None:
        return RedirectTo(301, address.path())
    if address.is_download and address.version is not NEWEST_IMAGES:
        return RedirectTo(301, replace(address, version=NEWEST_IMAGES).path())
    if address.is_base or address.is_info or address.is_download:
        return ParsedAddress(address, address.version, None)
    try:
        image_request = parse_image_request(address.parameters, address.version)
    except RequestError as error:
        return Invalid(error)
    return ParsedAddress(address, address.version, image_request)


def decide_answer(
    parsed: ParsedAddress, decision: Resolution, limits: Limits, access_path: AccessPath = PUBLIC
) -> Answer:
    """Return the answer, `decision` being what the identifier's record led to."""
    address, version = parsed.address, parsed.version
    match decision:
        case Unknown():
            return Missing(address.identifier)
        case WithdrawnIdentifier(reason, since):
            return Tombstone(reason, since)
        case MovedTo(identifier):
            moved = Address(version, identifier, address.parameters).path()
            return RedirectTo(301, access_path.moved_prefix + moved)
        case Serve(image):
            try:
                view = access_path.view(image)
                if isinstance(view, Elsewhere):
                    return RedirectTo(302, view.prefix + address.path())
                return _decide_view(parsed, view, limits, access_path)
            except RequestError as error:
                return Invalid(error)


def _decide_view(
    parsed: ParsedAddress, view: ImageView, limits: Limits, access_path: AccessPath
) -> Answer:
    """Return the answer to a request for a view. Raises RequestError."""
    address = parsed.address
    if address.is_info:
        view.check_info()
        return Info(view.image, parsed.version, view.is_whole, access_path, view.is_admitted)
    if not view.is_admitted:
        raise TicketRequired("this image needs a ticket")
    if parsed.image_request:
        return _decide_image(parsed.image_request, view, limits)
    if not address.is_download:
        return RedirectTo(303, f"{access_path.prefix}{address.path()}/info.json")
    view.check_whole()
    return Download(view.image)


def _decide_image(image_request: ImageRequest, view: ImageView, limits: Limits) -> Answer:
    image = view.image
    request = resolve(image_request, image.width, image.height, limits, image)
    _check_support(request)
    stored = view.stored_request(request)
    view.check_shown(request, stored)
    position = tile_position(image, request)
    if position:
        of_stored = Tile(view.stored, stored, view.stored_position(position))
        return Tile(image, request, position, of_stored if view.level else None)
    return Derivative(image, request, Derivative(view.stored, stored) if view.level else None)


def _check_support(request: ResolvedRequest) -> None:
    """Raise InvalidRequest for a size within the limits that the format cannot hold.

    A 501 would count among the service's own failures, and anybody could ask for it.
    """
    format_ = FORMATS[request.format]
    if max(request.width, request.height) > format_.longest_side:
        raise InvalidRequest(
            f"{request.format} holds at most {format_.longest_side} pixels on a side:"
            " ask for fewer, or for jpg"
        )
    if request.width * request.height > format_.largest_area:
        raise InvalidRequest(
            f"{request.format} is made of at most {format_.largest_area:,} pixels, not of"
            f" {request.width} x {request.height}: ask for fewer, or for jpg"
        )


def name_kind(answer: object) -> str:
    """Return what was requested, in the words of the metrics."""
    match answer:
        case Tile():
            return "tile"
        case Info() | Manifest() | PresentationDocument():
            return "info"
        case Download():
            return "download"
        case Derivative():
            size = max(answer.request.width, answer.request.height)
            return "thumbnail" if size <= THUMBNAIL_SIDE else "render"
        case _:
            return "other"
