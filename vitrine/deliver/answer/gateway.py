"""The gateway: one request in, one response out."""

import logging
import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter

from vitrine.deliver.answer.access_paths import PUBLIC, RESTRICTED, AccessPath
from vitrine.deliver.answer.admission import TicketAdmission
from vitrine.deliver.answer.budgets import Budgets
from vitrine.deliver.answer.ceilings import Ceilings
from vitrine.deliver.answer.cost import Cost, Lane
from vitrine.deliver.answer.decide import (
    Derivative,
    Download,
    ParsedAddress,
    Tile,
    WithoutImage,
    decide_answer,
    name_kind,
    parse_parameters,
)
from vitrine.deliver.answer.decide_document import decide_manifest, decide_published
from vitrine.deliver.answer.derivative_cache import (
    cache_life,
    derivative_name,
    is_cacheable,
    is_sent_to_cache,
    redirect_to_cache,
)
from vitrine.deliver.answer.derivative_disk import DERIVATIVES, DerivativeDisk
from vitrine.deliver.answer.derivatives import Derivatives
from vitrine.deliver.answer.documents import Documents
from vitrine.deliver.answer.downloads import Downloads, StreamedImages
from vitrine.deliver.answer.images import Images
from vitrine.deliver.answer.kept_answers import MAX_KEPT_BYTES
from vitrine.deliver.answer.limit import end_in_time
from vitrine.deliver.answer.lookup import LookupResult, RecordLookup
from vitrine.deliver.answer.publications import Publications
from vitrine.deliver.answer.signals import parse_sites
from vitrine.deliver.answer.tile_cache import TileCache
from vitrine.deliver.http import headers
from vitrine.deliver.http.base_url import base_url
from vitrine.deliver.http.conditional import (
    is_conditional,
    is_known,
    not_modified,
    without_conditions,
)
from vitrine.deliver.http.exchange import (
    Headers,
    ReadyResponse,
    Request,
    Response,
    error_document,
    error_response,
    json_response,
)
from vitrine.deliver.http.health import Readiness, alive
from vitrine.deliver.http.path_rules import MISSING, check_path, is_page
from vitrine.deliver.http.tile_heads import TileHeads
from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.tiles.address import parse_tile_address
from vitrine.deliver.tiles.grid import TileGrids
from vitrine.errors import (
    InvalidRequest,
    MethodNotAllowed,
    RequestError,
    Unavailable,
    UnknownImage,
)
from vitrine.iiif.address import Address, image_path, parse_address
from vitrine.iiif.format import FORMATS
from vitrine.iiif.presentation.addresses import DocumentAddress, parse_document_address
from vitrine.iiif.size import Limits
from vitrine.settings import DeliverSettings
from vitrine.store.layout import cache_tag, collection_tags, manifest_tag
from vitrine.trace import HEADER as TRACE_HEADER
from vitrine.trace import begin_trace

logger = logging.getLogger(__name__)


class Gateway:
    """Decides what to answer, and has it made. Belongs to one event loop."""

    def __init__(
        self,
        *,
        settings: DeliverSettings,
        lookup: RecordLookup,
        images: Images,
        whole_images: StreamedImages,
        publications: Publications,
        readiness: Readiness,
        derivative_disk: DerivativeDisk | None = None,
        ceilings: Ceilings | None = None,
        counters: Counters | None = None,
        metrics: Callable[[], Awaitable[Response]] | None = None,
        admission: TicketAdmission | None = None,
    ) -> None:
        self._settings = settings
        self._limits = Limits(area=settings.maximum_output_pixels)
        self._documents = Documents(settings, self._limits, admission.rights if admission else None)
        self._statements = headers.statements(settings)
        life = headers.cache_control(
            settings.browser_max_age_seconds, settings.edge_max_age_seconds
        )
        self._image_headers = headers.ImageHeaders(
            life + self._statements,
            headers.rendering_revision(settings.tile_metadata),
        )
        self._tile_heads = TileHeads(self._image_headers)
        self._caches_derivatives = settings.derivative_cache_mebibytes > 0
        self._derivative_disk = derivative_disk or DerivativeDisk(
            Path(settings.memory_directory) / DERIVATIVES
        )
        self._tile_cache = TileCache(self._derivative_disk, settings.tile_cache_mebibytes > 0)
        self._lookup = lookup
        self._images = images
        self._publications = publications
        self._grids = TileGrids(self._limits)
        self._readiness = readiness
        self._counters = counters or Counters()
        self._metrics, self._admission = metrics, admission
        self._budgets = Budgets(
            cores=settings.render_cores,
            refuses=settings.under_pressure == "refuse",
            counters=self._counters,
            ceilings=ceilings,
            processes=settings.gateway_processes,
        )
        self._derivatives = Derivatives(
            images,
            self._budgets,
            self._limits,
            cores=settings.render_cores,
            own_sites=parse_sites(settings.own_sites),
        )
        self._downloads = Downloads(
            whole_images,
            self._image_headers,
            slots=settings.downloads_at_once,
            budgets=self._budgets,
            counters=self._counters,
        )

    def respond_now(self, request: Request) -> ReadyResponse | None:
        """Return a stored tile if it needs no wait: record, pyramid and bytes are at hand."""
        if request.method != "GET":
            return None
        address = parse_tile_address(request.path.partition("?")[0])
        found = self._lookup.live_now(address.identifier) if address else None
        if address is None or found is None or is_conditional(request):
            return None
        image, seconds = found
        stored = self._grids.of(image).locate(address)
        pieces = self._images.tile_now(image, stored.position) if stored else None
        if stored is None or pieces is None:
            return None
        try:
            base = base_url(request, self._settings.public_base_url)
        except InvalidRequest:
            return None
        self._counters.tiles_at_once += 1
        head = self._tile_heads.of(image, base, address.version, stored.canonical)
        size = sum(map(len, pieces))
        return ReadyResponse(head + self._tile_cache.life(seconds, size), pieces)

    async def respond(self, request: Request) -> Response:
        """Answer any request. Never raises; every response carries the CORS headers once."""
        begin_trace(request.headers.get(TRACE_HEADER))
        try:
            response = await end_in_time(
                self._route_request(request), self._settings.answer_seconds
            )
        except RequestError as error:
            response = error_response(error, headers.error_headers(error))
            if isinstance(error, Unavailable):
                logger.warning("answered %d: %s", response.status, error)
        except Exception:
            logger.exception("unexpected error while answering %s", request.path)
            document = error_document(500, "an unexpected error, which was logged")
            response = json_response(500, document, headers.NO_STORE)
        if not is_sent_to_cache(response):
            self._counters.count("answers_total", status=response.status)
        return response.with_headers(headers.CORS)

    async def _route_request(self, request: Request) -> Response:
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
        if path == "/metrics" and self._metrics:
            return await self._metrics()
        check_path(path)
        if path.startswith(RESTRICTED) and self._admission:
            return await self._answer_address(request, *await self._admission.admit(request, path))
        if address := parse_address(path):
            return await self._answer_address(request, PUBLIC, address)
        if document := parse_document_address(path):
            return await self._present_object(request, document)
        if is_page(path):
            return MISSING
        raise UnknownImage("images are at /iiif/3/{identifier}/info.json")

    async def _answer_address(
        self, request: Request, access_path: AccessPath, address: Address
    ) -> Response:
        began, identifier = perf_counter(), address.normalised_identifier
        parsed = parse_parameters(address)
        if not isinstance(parsed, ParsedAddress):
            return self._respond_without_image(request, parsed, cache_tag(identifier))
        result = await self._lookup.find(identifier)
        # The edge is purged when all records from before a change have expired, so no cache may
        # keep what an expired record says (docs/adr/0010).
        confirmed = result if self._lookup.is_current(result) else None
        if self._seconds_kept(confirmed) < headers.MIN_SECONDS_KEPT:
            request = without_conditions(request)
        answer = decide_answer(parsed, result.decision, self._limits, access_path)
        if isinstance(answer, Tile | Derivative):
            switching = self._lookup.seconds_until_switch(result) < math.inf
            response = await self._deliver_image(request, answer, switching=switching)
            confirmed = confirmed and await self._lookup.confirm(result)
        elif isinstance(answer, Download):
            base = base_url(request, self._settings.public_base_url)
            response = await self._downloads.respond(request, answer.image, base)
        else:
            response = self._respond_without_image(request, answer, *_tags(identifier, result))
        if not is_sent_to_cache(response):
            self._counters.observe_answer(name_kind(answer), perf_counter() - began)
        return headers.limit_life(response, self._seconds_kept(confirmed))

    async def _present_object(self, request: Request, address: DocumentAddress) -> Response:
        """Answer with what was published, or else with the manifest that an image has by itself."""
        began, identifier = perf_counter(), address.normalised_identifier
        tags: tuple[str, ...] = (cache_tag(identifier),)
        if published := await self._publications.find(identifier):
            page = await self._publications.find_page(identifier, published, address)
            answer, kept = decide_published(address, published, page), math.inf
        else:
            result = await self._lookup.find(identifier)
            kept = self._seconds_kept(result if self._lookup.is_current(result) else None)
            if kept < headers.MIN_SECONDS_KEPT:
                request = without_conditions(request)
            answer, tags = decide_manifest(address, result.decision), _tags(identifier, result)
        response = self._respond_without_image(request, answer, manifest_tag(identifier), *tags)
        self._counters.observe_answer(name_kind(answer), perf_counter() - began)
        return headers.limit_life(response, kept)

    def _seconds_kept(self, confirmed: LookupResult | None) -> float:
        """Return for how long caches may keep what rests on this; infinity: as long as usual."""
        return self._lookup.seconds_until_switch(confirmed) if confirmed else 0

    def _respond_without_image(
        self, request: Request, answer: WithoutImage, *tags: str
    ) -> Response:
        """Return an answer that holds no pixels, with the tags by which the edge drops it."""
        response = self._documents.respond_without_image(request, answer)
        return response.with_headers(headers.cache_tags(*tags) + self._statements)

    async def _deliver_image(
        self, request: Request, answer: Tile | Derivative, *, switching: bool
    ) -> Response:
        image, resolved = answer.image, answer.request
        base = base_url(request, self._settings.public_base_url)
        media_type = FORMATS[resolved.format].media_type
        image_headers = self._image_headers.of(
            image, media_type, base, resolved.version, resolved.canonical
        )
        etag = self._image_headers.etag(image)
        if is_known(request, etag, headers.publication(image.published_at)):
            return not_modified(Response(status=200, headers=image_headers))
        if isinstance(answer, Tile):
            self._budgets.count(Cost(Lane.STORED))
            body = await self._images.tile(*answer.source)
            return Response(status=200, headers=image_headers, body=body)
        # What nginx keeps it gives with the lifetime of that time, so not before a switch.
        if self._caches_derivatives and is_cacheable(resolved) and not switching:
            return await self._deliver_through_cache(request, answer, etag, base, image_headers)
        body = await self._derivatives.make(request, *answer.source)
        return Response(status=200, headers=image_headers, body=body)

    async def _deliver_through_cache(
        self, request: Request, answer: Derivative, etag: str, base: str, image_headers: Headers
    ) -> Response:
        image, resolved = answer.image, answer.request
        canonical = f"{base}{image_path(resolved.version, image.identifier)}/{resolved.canonical}"
        name = derivative_name(etag, canonical)
        is_kept = self._derivative_disk.is_writable()
        if is_kept and (redirect := redirect_to_cache(request, name)):
            self._counters.count("derivative_cache_total", result="sent")
            self._budgets.count(Cost(Lane.CACHED))
            return redirect
        if is_kept:
            self._counters.count("derivative_cache_total", result="missed")
        body = await self._derivatives.make(request, *answer.source)
        is_kept = is_kept and len(body) <= MAX_KEPT_BYTES
        life = cache_life(request, name if is_kept else "")
        return Response(status=200, headers=image_headers + life, body=body)


def _tags(identifier: str, result: LookupResult) -> tuple[str, ...]:
    """Return the tags of an answer about an image: its own, and those of its collections."""
    return (cache_tag(identifier), *collection_tags(result.collections))
