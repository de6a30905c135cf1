"""Which answer a request for an image gets: by its address, the image's record and the limits."""

from dataclasses import replace

from vitrine.deliver.answer.access_paths import PUBLIC, AccessPath, Elsewhere
from vitrine.deliver.answer.derivative import Derivative
from vitrine.deliver.answer.download import Download
from vitrine.deliver.answer.image_view import ImageView
from vitrine.deliver.answer.info import Info
from vitrine.deliver.answer.tile import Tile
from vitrine.deliver.answer.without_image import RedirectTo, Refusal, WithoutImage
from vitrine.deliver.tiles import tile_position
from vitrine.errors import ImageGone, InvalidRequest, RequestError, TicketRequired, UnknownImage
from vitrine.identify.resolve import MovedTo, Resolution, Serve, Unknown, WithdrawnIdentifier
from vitrine.iiif.address import Address
from vitrine.iiif.format import FORMATS
from vitrine.iiif.request import ImageRequest, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import NEWEST

Answer = Tile | Derivative | Download | Info | WithoutImage


def decide_without_record(address: Address) -> WithoutImage | None:
    """Return the answer to an address that is not in use or malformed; None: the record decides."""
    if address.version is None:
        return RedirectTo(301, address.path())
    if address.is_download and address.version is not NEWEST:
        return RedirectTo(301, replace(address, version=NEWEST).path())
    try:
        _ = address.image_request
    except InvalidRequest as error:
        return Refusal(error)
    return None


def decide_answer(
    address: Address, decision: Resolution, limits: Limits, access_path: AccessPath = PUBLIC
) -> Answer:
    """Return the answer, `decision` being what the identifier's record led to.

    The address has a version, and parameters that can be read (`decide_without_record`).
    """
    match decision:
        case Unknown():
            return Refusal(UnknownImage(f"there is no image {address.identifier[:255]!r}"))
        case WithdrawnIdentifier(reason, since):
            return Refusal(ImageGone(reason, since))
        case MovedTo(identifier):
            moved = replace(address, identifier=identifier).path()
            return RedirectTo(301, access_path.moved_prefix + moved)
        case Serve(image):
            try:
                view = access_path.view(image)
                if isinstance(view, Elsewhere):
                    return RedirectTo(302, view.prefix + address.path())
                return _decide_view(address, view, limits, access_path)
            except RequestError as error:
                return Refusal(error)


def _decide_view(
    address: Address, view: ImageView, limits: Limits, access_path: AccessPath
) -> Tile | Derivative | Download | Info | RedirectTo:
    """Return the answer to a request for a view. Raises RequestError."""
    if address.is_info:
        view.check_info()
        version = address.best_version()
        return Info(
            view.image, version, view.is_whole, access_path.prefix, view.right, view.is_admitted
        )
    if not view.is_admitted:
        raise TicketRequired("this image needs a ticket")
    if address.image_request:
        return _decide_image(address.image_request, view, limits)
    if not address.is_download:
        return RedirectTo(303, f"{access_path.prefix}{address.path()}/info.json")
    view.check_whole()
    return Download(view.image)


def _decide_image(
    image_request: ImageRequest, view: ImageView, limits: Limits
) -> Tile | Derivative:
    image = view.image
    request = resolve(image_request, image.width, image.height, limits, image)
    FORMATS[request.format].check_size(request.width, request.height)
    stored = view.stored_request(request)
    view.check_shown(request, stored)
    position = tile_position(image, request)
    if position:
        return Tile(image, request, view.stored, stored, view.stored_position(position))
    return Derivative(image, request, view.stored, stored)
