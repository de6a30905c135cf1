"""The gateway: one request in, one response out."""

import logging

from vitrine.deliver.answer.decide import (
    Derivative,
    Gone,
    Info,
    Invalid,
    Missing,
    Redirect,
    Tile,
    decide,
    decide_without_record,
)
from vitrine.deliver.answer.derivative_cache import derivative_name, hand_over, is_kept, keep
from vitrine.deliver.answer.images import Images
from vitrine.deliver.answer.lookup import RecordLookup
from vitrine.deliver.answer.viewer_limit import ViewerLimit
from vitrine.deliver.http import headers
from vitrine.deliver.http.base_url import base_url
from vitrine.deliver.http.conditional import (
    body_etag,
    if_changed,
    is_conditional,
    is_known,
    not_modified,
)
from vitrine.deliver.http.exchange import Headers, Request, Response, error_response, json_response
from vitrine.deliver.http.health import Readiness, alive
from vitrine.deliver.http.image_headers import ImageHeaders
from vitrine.deliver.http.info_media import info_content_type
from vitrine.deliver.http.path_rules import check_path
from vitrine.deliver.tiles.address import parse_tile_address
from vitrine.deliver.tiles.grid import TileGrids
from vitrine.errors import InvalidRequest, MethodNotAllowed, RequestError, UnknownImage
from vitrine.iiif.address import Address, image_path, parse_address
from vitrine.iiif.format import FORMATS, JPEG
from vitrine.iiif.info import ImageInformation
from vitrine.iiif.size import Limits
from vitrine.iiif.version import Version
from vitrine.records import Live
from vitrine.settings import DeliverSettings

logger = logging.getLogger(__name__)


class Gateway:
    """Decides, then has it done. Belongs to one event loop."""

    def __init__(
        self,
        *,
        settings: DeliverSettings,
        lookup: RecordLookup,
        images: Images,
        readiness: Readiness,
    ) -> None:
        self._settings = settings
        self._limits = Limits(area=settings.maximum_output_pixels)
        self._image_headers = ImageHeaders(
            headers.cache_control(settings.browser_max_age_seconds, settings.edge_max_age_seconds),
            headers.rendering_revision(settings.tile_metadata, settings.jpeg_renderer),
        )
        self._keeps_derivatives = settings.derivative_cache_mebibytes > 0
        self._lookup = lookup
        self._images = images
        self._grids = TileGrids(self._limits)
        self._readiness = readiness
        self._viewers = ViewerLimit(settings.large_renders_per_viewer)

    def respond_now(self, request: Request) -> Response | None:
        """The answer where it is a stored tile of one of the open pyramids, and its bytes here."""
        if request.method != "GET":
            return None
        asked = parse_tile_address(request.path.partition("?")[0])
        image = self._lookup.live_now(asked.identifier) if asked else None
        if asked is None or image is None or is_conditional(request):
            return None
        stored = self._grids.of(image).locate(asked)
        body = self._images.tile_now(image, stored.position) if stored else None
        if stored is None or body is None:
            return None
        try:
            base = base_url(request, self._settings.public_base_url)
        except InvalidRequest:
            return None
        of_image = self._image_headers.of(
            image, JPEG.media_type, base, asked.version, stored.canonical
        )
        return Response(status=200, headers=of_image + headers.CORS, body=body)

    async def respond(self, request: Request) -> Response:
        """Never raises; every response carries CORS, once."""
        try:
            response = await self._route(request)
        except RequestError as error:
            response = error_response(error, headers.error_headers(error))
        except Exception:
            logger.exception("unforeseen, at %s", request.path)
            document = {"status": 500, "reason": "an unforeseen error, which was noted"}
            response = json_response(500, document, headers.NO_STORE)
        return response.with_headers(headers.CORS)

    async def _route(self, request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status=204, headers=headers.ALLOW + headers.PREFLIGHT)
        if request.method not in ("GET", "HEAD"):
            error = MethodNotAllowed("only GET, HEAD and OPTIONS are answered here")
            return error_response(error, headers.ALLOW + headers.error_headers(error))
        path = request.path.partition("?")[0]
        if path == "/healthz":
            return alive()
        if path == "/readyz":
            return await self._readiness.respond()
        check_path(path)
        address = parse_address(path)
        if address is None:
            raise UnknownImage("images are at /iiif/3/{identifier}/info.json")
        return await self._answer(request, address)

    async def _answer(self, request: Request, address: Address) -> Response:
        if refused := decide_without_record(address):
            return self._tell(request, address, refused)
        found = await self._lookup.find(address.identifier)
        # The edge is told of a change when all records from before it have expired: what an expired
        # one says, nobody may keep.
        stands = self._lookup.stands(address.identifier, found)
        answer = decide(address, found, self._limits)
        if isinstance(answer, Tile | Derivative):
            response = await self._deliver(request, answer)
            stands = stands and await self._lookup.still_stands(address.identifier, found)
        else:
            response = self._tell(request, address, answer)
        return response if stands else headers.not_kept(response)

    def _tell(
        self, request: Request, address: Address, answer: Info | Redirect | Gone | Missing | Invalid
    ) -> Response:
        match answer:
            case Redirect(status, path):
                told = Response(status=status, headers=(("location", path), *headers.brief_life()))
            case Info():
                told = self._inform(request, answer)
            case _:
                error = answer.error()
                told = error_response(error, headers.error_headers(error))
        return told.with_headers(headers.cache_tag(address.identifier))

    def _inform(self, request: Request, answer: Info) -> Response:
        image, version = answer.image, answer.version
        information = ImageInformation(
            uri=self._uri(request, image, version),
            width=image.width,
            height=image.height,
            tile_width=image.tile_width,
            tile_height=image.tile_height,
            levels=image.levels,
            limits=self._limits,
            rights=self._settings.rights_uri,
        )
        type_ = info_content_type(version, request.headers.get("accept"))
        response = json_response(
            200,
            information.document(version),
            (("content-type", type_), ("vary", "Accept"), *headers.brief_life()),
        )
        etag = body_etag(response.body)
        return if_changed(request, etag, response.with_headers((("etag", etag),)))

    async def _deliver(self, request: Request, answer: Tile | Derivative) -> Response:
        image, asked = answer.image, answer.request
        base = base_url(request, self._settings.public_base_url)
        media_type = FORMATS[asked.format].media_type
        of_image = self._image_headers.of(image, media_type, base, asked.version, asked.canonical)
        etag = self._image_headers.etag(image)
        if is_known(request, etag, headers.publication(image.published_at)):
            return not_modified(Response(status=200, headers=of_image))
        if isinstance(answer, Tile):
            body = await self._images.tile(image, asked, answer.position)
            return Response(status=200, headers=of_image, body=body)
        if self._keeps_derivatives and is_kept(asked):
            return await self._deliver_kept(request, answer, etag, base, of_image)
        if is_kept(asked):
            body = await self._images.derivative(image, asked)
        else:
            with self._viewers.admission(request, f"{image.identifier} {asked.canonical}"):
                body = await self._images.derivative(image, asked)
        return Response(status=200, headers=of_image, body=body)

    async def _deliver_kept(
        self, request: Request, answer: Derivative, etag: str, base: str, of_image: Headers
    ) -> Response:
        image, asked = answer.image, answer.request
        canonical = f"{base}{image_path(asked.version, image.identifier)}/{asked.canonical}"
        name = derivative_name(etag, canonical)
        if elsewhere := hand_over(request, name):
            return elsewhere
        body = await self._images.derivative(image, asked)
        return Response(status=200, headers=of_image + keep(request, name), body=body)

    def _uri(self, request: Request, image: Live, version: Version) -> str:
        base = base_url(request, self._settings.public_base_url)
        return base + image_path(version, image.identifier)
