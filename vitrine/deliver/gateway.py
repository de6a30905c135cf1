"""The gateway: one request in, one response out."""

import logging

from vitrine.deliver import headers
from vitrine.deliver.base_url import base_url
from vitrine.deliver.conditional import body_etag, if_changed, is_known
from vitrine.deliver.decide import (
    Answer,
    Derivative,
    Info,
    Redirect,
    Tile,
    decide,
    decide_without_record,
)
from vitrine.deliver.exchange import Request, Response, error_response, json_response
from vitrine.deliver.health import Readiness, alive
from vitrine.deliver.info_media import info_content_type
from vitrine.deliver.local_images import LocalImages
from vitrine.deliver.lookup import RecordLookup
from vitrine.deliver.renderer import Renderer
from vitrine.errors import MethodNotAllowed, RequestError, UnknownImage
from vitrine.identify.record import Live
from vitrine.iiif.address import Address, image_path, parse_address
from vitrine.iiif.info import ImageInformation
from vitrine.iiif.size import Limits
from vitrine.iiif.version import Version
from vitrine.settings import DeliverSettings

logger = logging.getLogger(__name__)


class Gateway:
    """Decides, then has it done. Belongs to one event loop."""

    def __init__(
        self,
        *,
        settings: DeliverSettings,
        lookup: RecordLookup,
        images: LocalImages,
        renderer: Renderer,
        readiness: Readiness,
    ) -> None:
        self._settings = settings
        self._limits = Limits(area=settings.maximum_output_pixels)
        self._image_life = headers.cache_control(
            settings.browser_max_age_seconds, settings.edge_max_age_seconds
        )
        self._lookup = lookup
        self._images = images
        self._renderer = renderer
        self._readiness = readiness

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
        address = parse_address(path)
        if address is None:
            raise UnknownImage("images are at /iiif/3/{identifier}/info.json")
        return await self._answer(request, address)

    async def _answer(self, request: Request, address: Address) -> Response:
        answer = decide_without_record(address)
        if answer is None:
            found = await self._lookup.find(address.identifier)
            answer = decide(address, found, self._limits)
        response = await self._deliver(request, answer)
        return response.with_headers(headers.cache_tag(address.identifier))

    async def _deliver(self, request: Request, answer: Answer) -> Response:
        match answer:
            case Redirect(status, path):
                return Response(status=status, headers=(("location", path), *headers.brief_life()))
            case Info():
                return self._inform(request, answer)
            case Tile() | Derivative():
                return await self._render(request, answer)
            case _:
                error = answer.error()
                return error_response(error, headers.error_headers(error))

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
        )
        type_ = info_content_type(version, request.headers.get("accept"))
        response = json_response(
            200,
            information.document(version),
            (("content-type", type_), ("vary", "Accept"), *headers.brief_life()),
        )
        etag = body_etag(response.body)
        return if_changed(request, etag, response.with_headers((("etag", etag),)))

    async def _render(self, request: Request, answer: Tile | Derivative) -> Response:
        image, asked = answer.image, answer.request
        etag = headers.image_etag(image)
        canonical = f"{self._uri(request, image, asked.version)}/{asked.canonical}"
        common = (
            ("content-type", "image/jpeg"),
            ("etag", etag),
            *self._image_life,
            *headers.links(canonical, asked.version),
        )
        if is_known(request, etag):
            return Response(status=304, headers=common)
        async with self._images.hold(image) as path:
            body = await self._renderer.render(image, path, asked)
        return Response(status=200, headers=common, body=body)

    def _uri(self, request: Request, image: Live, version: Version) -> str:
        base = base_url(request, self._settings.public_base_url)
        return base + image_path(version, image.identifier)
