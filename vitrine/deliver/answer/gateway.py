"""The gateway: one request in, one response out."""

import logging
import math
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from pathlib import Path
from time import perf_counter

from vitrine.deliver.answer.access_paths import PUBLIC, RESTRICTED, AccessPath
from vitrine.deliver.answer.address_cache import AddressCache, keep_by_address
from vitrine.deliver.answer.admission import TicketAdmission
from vitrine.deliver.answer.budgets import Budgets
from vitrine.deliver.answer.ceilings import Ceilings
from vitrine.deliver.answer.decide import decide_answer, decide_without_record
from vitrine.deliver.answer.derivative import Derivative, Derivatives
from vitrine.deliver.answer.derivative_cache import derivative_name, is_named, is_sent_to_cache
from vitrine.deliver.answer.derivative_disk import DERIVATIVES, DerivativeDisk
from vitrine.deliver.answer.download import Download, Downloads, DownloadSlots, StreamedImages
from vitrine.deliver.answer.images import Images
from vitrine.deliver.answer.info import Info, InfoDocuments
from vitrine.deliver.answer.limit import end_in_time
from vitrine.deliver.answer.lookup import LookupResult, RecordLookup
from vitrine.deliver.answer.manifest import (
    Manifest,
    Manifests,
    PresentationDocument,
    decide_manifest,
    decide_published,
)
from vitrine.deliver.answer.page_pictures import PagePictures
from vitrine.deliver.answer.page_texts import PageTexts
from vitrine.deliver.answer.publications import Publications
from vitrine.deliver.answer.tile import Tile, Tiles
from vitrine.deliver.answer.whole_object import WholeObject, WholeObjects
from vitrine.deliver.answer.without_image import Refusal, WithoutImage
from vitrine.deliver.http import headers
from vitrine.deliver.http.base_url import base_url
from vitrine.deliver.http.conditional import (
    is_conditional,
    respond_if_known,
    without_conditions,
)
from vitrine.deliver.http.exchange import (
    ReadyResponse,
    Request,
    Response,
    error_document,
    json_response,
)
from vitrine.deliver.http.head import encode_head
from vitrine.deliver.http.health import Readiness, alive
from vitrine.deliver.http.path_rules import MISSING, check_path, is_page
from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.tiles.address import (
    InformationAddress,
    parse_information_address,
    parse_tile_address,
)
from vitrine.errors import InvalidRequest, MethodNotAllowed, RequestError, Unavailable, UnknownImage
from vitrine.iiif.address import Address, parse_address
from vitrine.iiif.presentation.addresses import DocumentAddress, parse_document_address
from vitrine.iiif.size import Limits
from vitrine.records import Live
from vitrine.settings.deliver import DeliverSettings
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
        page_pictures: PagePictures,
        page_texts: PageTexts,
        publications: Publications,
        readiness: Readiness,
        derivative_disk: DerivativeDisk | None = None,
        ceilings: Ceilings | None = None,
        counters: Counters | None = None,
        metrics: Callable[[], Awaitable[Response]] | None = None,
        admission: TicketAdmission | None = None,
    ) -> None:
        self._answer_seconds = settings.answer_seconds
        self._statements = headers.statements(settings)
        self._lookup = lookup
        self._publications = publications
        self._readiness = readiness
        self._counters = counters = counters or Counters()
        self._metrics, self._admission = metrics, admission
        self._limits = limits = Limits(area=settings.maximum_output_pixels)
        life = headers.cache_control(
            settings.browser_max_age_seconds, settings.edge_max_age_seconds
        )
        self._public_base_url = settings.public_base_url
        self._image_headers = image_headers = headers.ImageHeaders(
            life + self._statements, headers.rendering_revision(settings.tile_metadata)
        )
        disk = derivative_disk or DerivativeDisk(Path(settings.memory_directory) / DERIVATIVES)
        budgets = Budgets(
            cores=settings.render_cores,
            refuses=settings.under_pressure == "refuse",
            counters=counters,
            ceilings=ceilings,
            processes=settings.gateway_processes,
        )
        self._address_cache = AddressCache(disk, settings.tile_cache_mebibytes > 0)
        self._info = InfoDocuments(settings, limits, admission.rights if admission else None)
        self._manifests = Manifests(settings, limits)
        self._tiles = Tiles(
            lookup,
            images,
            image_headers,
            limits,
            public_base_url=settings.public_base_url,
            address_cache=self._address_cache,
            budgets=budgets,
            counters=counters,
        )
        self._derivatives = Derivatives(
            images, settings=settings, disk=disk, budgets=budgets, counters=counters
        )
        slots = DownloadSlots(settings.downloads_at_once, counters)
        self._downloads = Downloads(
            whole_images, image_headers, settings=settings, slots=slots, budgets=budgets
        )
        self._whole_objects = WholeObjects(
            lookup, page_pictures, page_texts, slots, budgets, settings.answer_seconds
        )

    def respond_now(self, request: Request) -> ReadyResponse | None:
        """Return a stored tile or image information if it needs no wait; None: await `respond`."""
        if request.method != "GET" or is_conditional(request):
            return None
        path = request.path.partition("?")[0]
        if tile := parse_tile_address(path):
            return self._tiles.respond_now(request, tile)
        if information := parse_information_address(path):
            return self._inform_now(request, information)
        return None

    def _inform_now(self, request: Request, address: InformationAddress) -> ReadyResponse | None:
        """Return the information about an image of which everybody may see everything."""
        began, found = perf_counter(), self._lookup.live_now(address.identifier)
        if found is None:
            return None
        image, seconds = found
        try:
            response = self._info.respond(request, Info(image, address.version))
        except InvalidRequest:
            return None
        kept = keep_by_address(self._address_cache.seconds(seconds))
        response = self._tag(response, *_tags(image.identifier, image.collections))
        head = encode_head(response.status, (*response.headers, *kept, *headers.CORS))
        self._counters.count("answers_total", status=response.status)
        self._counters.observe_answer(Info.kind, perf_counter() - began)
        return ReadyResponse(head, (response.body,))

    async def respond(self, request: Request) -> Response:
        """Answer any request. Never raises; every response carries the CORS headers once."""
        begin_trace(request.headers.get(TRACE_HEADER))
        try:
            response = await end_in_time(self._route_request(request), self._answer_seconds)
        except RequestError as error:
            response = Refusal(error).response()
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
            return Refusal(error).response().with_headers(headers.ALLOW)
        path = request.path.partition("?")[0]
        if path == "/healthz":
            return alive()
        if path == "/readyz":
            return await self._readiness.respond()
        if path == "/metrics" and self._metrics:
            return await self._metrics()
        check_path(path)
        if path.startswith(RESTRICTED) and self._admission:
            return await self._answer_image(request, *await self._admission.admit(request, path))
        if address := parse_address(path):
            return await self._answer_image(request, PUBLIC, address)
        if document := parse_document_address(path):
            return await self._present_object(request, document)
        if is_page(path):
            return MISSING
        raise UnknownImage("images are at /iiif/3/{identifier}/info.json")

    async def _answer_image(
        self, request: Request, access_path: AccessPath, address: Address
    ) -> Response:
        """Answer with the image that an address names, or with what can be said of it."""
        began, identifier = perf_counter(), address.normalised_identifier
        if at_once := decide_without_record(address):
            return self._tag(at_once.response(), cache_tag(identifier))
        result = await self._lookup.find(identifier)
        # The edge is purged when all records from before a change have expired, so no cache may
        # keep what an expired record says (docs/adr/0010).
        confirmed = result if self._lookup.is_current(result) else None
        if self._seconds_kept(confirmed) < headers.MIN_SECONDS_KEPT:
            request = without_conditions(request)
        answer = decide_answer(address, result.decision, self._limits, access_path)
        kept = partial(self._seconds_by_address, identifier, access_path)
        match answer:
            case Tile() | Derivative():
                base = base_url(request, self._public_base_url)
                made = self._image_headers.of(answer.image, answer.resolved, base)
                if known := respond_if_known(request, made):
                    response = known
                elif isinstance(answer, Tile):
                    body = await self._tiles.tile(answer)
                    response = Response(status=200, headers=made, body=body)
                else:
                    # nginx keeps an answer with its current lifetime.
                    is_lasting = self._lookup.seconds_until_switch(result) == math.inf
                    is_kept = is_lasting and is_named(address.parameters[0], answer.resolved)
                    name = derivative_name(made, answer.resolved) if is_kept else ""
                    response = await self._derivatives.respond(request, answer, made, name, kept)
                confirmed = confirmed and await self._lookup.confirm(result)
            case Download():
                response = await self._downloads.respond(request, answer)
            case Info():
                response = self._info.respond(request, answer)
                response = self._tag(response, *_tags(identifier, result.collections))
                response = response.with_headers(keep_by_address(kept(answer.image, 0)))
            case _:
                response = self._tag(answer.response(), *_tags(identifier, result.collections))
        if not is_sent_to_cache(response):
            self._counters.observe_answer(answer.kind, perf_counter() - began)
        return headers.limit_life(response, self._seconds_kept(confirmed))

    async def _present_object(self, request: Request, address: DocumentAddress) -> Response:
        """Answer with what was published, or else with the manifest that an image has by itself."""
        began, identifier = perf_counter(), address.normalised_identifier
        answer: Manifest | PresentationDocument | WholeObject | WithoutImage
        tags: tuple[str, ...] = (cache_tag(identifier),)
        if published := await self._publications.find(identifier):
            page = await self._publications.find_page(identifier, published, address)
            answer, kept = decide_published(address, published, page), math.inf
        else:
            result = await self._lookup.find(identifier)
            kept = self._seconds_kept(result if self._lookup.is_current(result) else None)
            if kept < headers.MIN_SECONDS_KEPT:
                request = without_conditions(request)
            answer = decide_manifest(address, result.decision)
            tags = _tags(identifier, result.collections)
        if isinstance(answer, Manifest | PresentationDocument):
            response = self._manifests.respond(request, answer)
        elif isinstance(answer, WholeObject):
            response = await self._whole_objects.respond(request, answer)
        else:
            response = answer.response()
        if isinstance(answer, Manifest):
            # What is published has no record: it is read each time, so that it ends at once.
            seconds = self._seconds_by_address(identifier, PUBLIC, answer.image, 0)
            response = response.with_headers(keep_by_address(seconds))
        response = self._tag(response, manifest_tag(identifier), *tags)
        self._counters.observe_answer(answer.kind, perf_counter() - began)
        return headers.limit_life(response, kept)

    def _seconds_by_address(
        self, identifier: str, access_path: AccessPath, image: Live, size: int
    ) -> int:
        """Return for how long nginx may keep an answer by its address, `size` bytes of an image.

        Not at all if the record that is in memory by now shows another one.
        """
        found = self._lookup.live_now(identifier) if access_path is PUBLIC else None
        if found is None or found[0] != image:
            return 0
        return self._address_cache.seconds(found[1], size)

    def _seconds_kept(self, confirmed: LookupResult | None) -> float:
        """Return for how long caches may keep what rests on this; infinity: as long as usual."""
        return self._lookup.seconds_until_switch(confirmed) if confirmed else 0

    def _tag(self, response: Response, *tags: str) -> Response:
        """Return an answer that holds no pixels, with the tags by which the edge drops it."""
        return response.with_headers(headers.cache_tags(*tags) + self._statements)


def _tags(identifier: str, collections: Collection[str]) -> tuple[str, ...]:
    """Return the tags of an answer about an image: its own, and those of its collections."""
    return (cache_tag(identifier), *collection_tags(collections))
