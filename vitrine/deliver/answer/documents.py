"""The JSON documents: an image's information and own manifest, and what was published."""

from collections.abc import Callable

import brotli

from vitrine.access.descriptions import describe_services
from vitrine.access.rules import read_rule
from vitrine.deliver.answer.access_paths import SharePath
from vitrine.deliver.answer.decide import (
    Info,
    Manifest,
    PresentationDocument,
    RedirectTo,
    WithoutImage,
)
from vitrine.deliver.http import headers
from vitrine.deliver.http.base_url import base_url
from vitrine.deliver.http.conditional import document_etag, respond_if_changed
from vitrine.deliver.http.exchange import Request, Response, error_response, json_response
from vitrine.deliver.http.json_media import media_headers, takes_encoding
from vitrine.errors import Unavailable
from vitrine.identify.public_image import visible_image
from vitrine.iiif.address import download_path, image_path
from vitrine.iiif.format import JPEG
from vitrine.iiif.info import ImageInformation
from vitrine.iiif.presentation import version2, version3
from vitrine.iiif.presentation.addresses import MANIFEST, NEWEST, document_path
from vitrine.iiif.presentation.image_resource import describe_image
from vitrine.iiif.presentation.model import PublishedObject, object_of_image
from vitrine.iiif.presentation.version3 import Images, Json
from vitrine.iiif.size import Limits
from vitrine.settings import DeliverSettings
from vitrine.store.rights_table import RightsTable

_BROTLI = "br"
_MANIFESTS: dict[int, tuple[str, Callable[[PublishedObject, Images, str], Json]]] = {
    2: (version2.CONTEXT, version2.build_manifest),
    3: (version3.CONTEXT, version3.build_manifest),
}
"""Context and builder by version of the Presentation API."""

EVERYTHING_LINK = '</data/objects.jsonl.gz>;rel="collection";type="application/gzip"'
"""From a published document to the dump that lists it and all others (RFC 6573)."""


class Documents:
    """Makes documents from the records of images; nothing else has to be read."""

    def __init__(
        self, settings: DeliverSettings, limits: Limits, rights: RightsTable | None = None
    ) -> None:
        self._rights = rights
        self._settings = settings
        self._limits = limits
        self._downloads = settings.downloads_at_once > 0

    def respond_without_image(self, request: Request, answer: WithoutImage) -> Response:
        """Return an answer that holds no pixels. Raises InvalidRequest for a malformed Host."""
        match answer:
            case RedirectTo(status, path):
                # At a base address, the edge sends browsers to the page.
                vary = (("vary", "Accept"),) if status == 303 else ()
                location = (("location", path), *vary, *headers.brief_life())
                return Response(status=status, headers=location)
            case Info() | Manifest():
                return self.respond(request, answer)
            case PresentationDocument():
                return respond_published(request, answer)
            case _:
                error = answer.error()
                return error_response(error, headers.error_headers(error))

    def respond(self, request: Request, answer: Info | Manifest) -> Response:
        """Return the document in the media type that the client prefers, or 304 if it has it.

        Raises InvalidRequest for a malformed Host.
        """
        base = base_url(request, self._settings.public_base_url)
        accept = request.headers.get("accept")
        match answer:
            case Info(_, version):
                media = media_headers(version.number, version.context, accept)
                links = [_describing_link(answer.image.identifier)]
                information = self._describe_image(answer, base)
                if information.is_downloadable:
                    links.append(_download_link(information.download_address))
                media = headers.add_links(media, *links)
                document = information.document(version)
            case Manifest(_, number):
                context, _ = _MANIFESTS[number]
                media = media_headers(number, context, accept)
                other = _other_version_link(number, answer.image.identifier, MANIFEST)
                media = headers.add_links(media, other)
                document = self._present_image(answer, base)
        if isinstance(answer, Info) and not answer.is_admitted:
            return json_response(401, document, (*media, *headers.NO_STORE))
        response = json_response(200, document, (*media, *headers.brief_life()))
        etag = document_etag(response.body, media[0][1])
        return respond_if_changed(request, etag, response.with_headers((("etag", etag),)))

    def _describe_image(self, answer: Info, base: str) -> ImageInformation:
        image, version = answer.image, answer.version
        return ImageInformation(
            uri=base + answer.access_path.prefix + image_path(version, image.identifier),
            download_address=base + answer.access_path.prefix + download_path(image.identifier),
            width=image.width,
            height=image.height,
            tile_width=image.tile_width,
            tile_height=image.tile_height,
            levels=image.levels,
            limits=self._limits,
            rights=self._settings.rights_uri,
            downloads=self._downloads and answer.is_whole,
            enlarges=answer.is_whole,
            services=self._describe_way_in(answer, base),
        )

    def _describe_way_in(self, answer: Info, base: str) -> list[Json]:
        """Return the services of access of an image that those with a right see whole.

        Raises Unavailable as long as the table of rights was never read.
        """
        name = read_rule(answer.image.access).right
        if not name or not self._rights or isinstance(answer.access_path, SharePath):
            return []
        rights = self._rights.current()
        if rights is None:
            raise Unavailable("the table of rights is not read yet")
        right = rights.get(name)
        return describe_services(base, answer.image.identifier, name, right) if right else []

    def _present_image(self, answer: Manifest, base: str) -> Json:
        """Return the manifest of an object that is this image and has no other name."""
        image = answer.image
        item = object_of_image(image.identifier, self._settings.rights_uri)
        _, build = _MANIFESTS[answer.version]
        downloads = self._downloads and answer.is_whole
        public = visible_image(image) is not None
        resource = describe_image(
            image.identifier, image, self._limits, downloads=downloads, is_public=public
        )
        return build(item, {image.identifier: resource}, base)


def respond_published(request: Request, answer: PresentationDocument) -> Response:
    """Return a published document as it is kept, if the client takes Brotli; else in full.

    Then nginx compresses it, by gzip.
    """
    context, _ = _MANIFESTS[answer.version]
    negotiated = media_headers(answer.version, context, request.headers.get("accept"))
    other = _other_version_link(answer.version, answer.identifier, answer.document)
    media, vary, *link = headers.add_links(negotiated, other, EVERYTHING_LINK)
    etag = document_etag(answer.compressed, media[1])
    body = answer.compressed
    if takes_encoding(request.headers.get("accept-encoding"), _BROTLI):
        vary, link = ("vary", "Accept, Accept-Encoding"), [*link, ("content-encoding", _BROTLI)]
    else:
        body = brotli.decompress(body)
    named = (media, vary, *link, *headers.brief_life(), ("etag", etag))
    response = Response(status=200, headers=named, body=body)
    return respond_if_changed(request, etag, response)


def _describing_link(identifier: str) -> str:
    """Return the link from an image to the manifest of its name (W3C, POWDER)."""
    return f'<{document_path(NEWEST, identifier, MANIFEST)}>;rel="describedby"'


def _download_link(address: str) -> str:
    """Return the link to a file that is large (RFC 4287, section 4.2.7.2; IANA: enclosure)."""
    return f'<{address}>;rel="enclosure";type="{JPEG.media_type}"'


def _other_version_link(version: int, identifier: str, document: str) -> str:
    """Return the link to the same document in the other version of the Presentation API."""
    other = next(number for number in _MANIFESTS if number != version)
    return f'<{document_path(other, identifier, document)}>;rel="alternate"'
