"""Manifests and collections: what was published, or else what an image has by itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import brotli

from vitrine.deliver.answer.access_paths import PUBLIC, Elsewhere
from vitrine.deliver.answer.whole_object import WholeObject
from vitrine.deliver.answer.without_image import RedirectTo, Refusal, WithoutImage
from vitrine.deliver.http import headers
from vitrine.deliver.http.base_url import base_url
from vitrine.deliver.http.conditional import (
    document_etag,
    document_if_changed,
    respond_if_known,
)
from vitrine.deliver.http.exchange import Request, Response, json_response
from vitrine.deliver.http.json_media import media_headers, takes_encoding
from vitrine.errors import ImageGone, RequestError, UnknownImage
from vitrine.identify.resolve import MovedTo, Resolution, Serve, Unknown, WithdrawnIdentifier
from vitrine.iiif.presentation import version2, version3
from vitrine.iiif.presentation.addresses import (
    DOCUMENTS,
    MANIFEST,
    NEWEST,
    PLAIN_TEXT,
    WHOLE_OBJECTS,
    DocumentAddress,
    document_path,
)
from vitrine.iiif.presentation.image_resource import describe_image
from vitrine.iiif.presentation.model import PublishedObject, object_of_image
from vitrine.iiif.presentation.version3 import Images, Json
from vitrine.iiif.size import Limits
from vitrine.records import Live
from vitrine.settings.deliver import DeliverSettings
from vitrine.store import publications

_BROTLI = "br"
_BUILDERS: dict[int, tuple[str, Callable[[PublishedObject, Images, str], Json]]] = {
    2: (version2.CONTEXT, version2.build_manifest),
    3: (version3.CONTEXT, version3.build_manifest),
}
"""Context and builder by version of the Presentation API."""

EVERYTHING_LINK = '</data/objects.jsonl.gz>;rel="collection";type="application/gzip"'
"""From a published document to the dump that lists it and all others (RFC 6573)."""


@dataclass(frozen=True)
class Manifest:
    """The manifest of an image, in this version of the Presentation API."""

    kind: ClassVar = "info"
    """Word of the metrics for what was requested."""
    image: Live
    version: int
    is_whole: bool = True
    """False if only a part of what is stored is shown."""
    is_public: bool = True
    """False if everybody sees nothing of it without a ticket."""


@dataclass(frozen=True)
class PresentationDocument:
    """A manifest or collection that was published, in this version of the Presentation API."""

    kind: ClassVar = "info"
    """Word of the metrics for what was requested."""
    compressed: bytes
    """Document, compressed by Brotli."""
    version: int
    identifier: str
    document: str
    """MANIFEST, COLLECTION or the name of a page of one."""


def decide_manifest(address: DocumentAddress, decision: Resolution) -> Manifest | WithoutImage:
    """Return the manifest that an image has by itself, where no object has its identifier."""
    if address.version is None or not address.document:
        return RedirectTo(301, address.path())
    if address.text or address.remarks:
        return _absent(f"the image {address.identifier[:255]!r} has no annotations by itself")
    if address.document != MANIFEST:
        what = "object" if address.document in WHOLE_OBJECTS else "collection"
        return _absent(f"there is no {what} {address.identifier[:255]!r}")
    match decision:
        case Unknown():
            return _absent(f"there is no object and no image {address.identifier[:255]!r}")
        case WithdrawnIdentifier(reason, since):
            return Refusal(ImageGone(reason, since))
        case MovedTo(identifier):
            return RedirectTo(301, address.path_of(identifier))
        case Serve(image):
            try:
                view = PUBLIC.view(image)
            except RequestError as error:
                return Refusal(error)
            if isinstance(view, Elsewhere):
                return Manifest(image, address.version, is_whole=False, is_public=False)
            return Manifest(view.image, address.version, view.is_whole)


def decide_published(
    address: DocumentAddress,
    published: publications.Publication,
    page: Mapping[int, bytes] | None = None,
) -> PresentationDocument | WholeObject | WithoutImage:
    """Return the answer to a request for what was published under an identifier.

    `page` has the documents of the page that the address names, if there is one.
    """
    match published:
        case publications.Moved(target=target):
            return RedirectTo(301, address.path_of(target))
        case publications.Withdrawn(reason=reason, since=since):
            return Refusal(ImageGone(reason, since))
        case publications.Waiting():
            name = repr(address.identifier[:255])
            return _absent(f"none of the images of {name} is published yet")
        case publications.Published(kind=kind, documents=documents, pages=pages):
            if kind == "manifest" and address.document in WHOLE_OBJECTS:
                return _decide_whole(address, published)
            version, identifier = address.version or NEWEST, address.identifier
            number = address.text or address.remarks
            is_page = address.page if kind == "collection" else number
            document = address.document if is_page else DOCUMENTS[kind]
            if address.version is None or address.document != document:
                return RedirectTo(301, document_path(version, identifier, document))
            if is_page and not page and kind == "manifest":
                what = "text" if address.text else "annotations"
                return _absent(f"canvas {number:,} of {identifier[:255]!r} has no {what}")
            if is_page and not page:
                has = f"{pages:,} pages" if pages else "no pages: it is in one piece"
                return _absent(f"the collection {identifier[:255]!r} has {has}")
            found = page if page and is_page else documents
            return PresentationDocument(found[version], version, identifier, document)


def _decide_whole(
    address: DocumentAddress, published: publications.Published
) -> WholeObject | WithoutImage:
    """Return the answer to a request for an object as one file, the same in both versions."""
    if address.version != NEWEST:
        return RedirectTo(301, document_path(NEWEST, address.identifier, address.document))
    manifest, identifier = published.documents[NEWEST], address.normalised_identifier
    if address.document == PLAIN_TEXT and not published.text_index:
        return _absent(f"the pages of {address.identifier[:255]!r} have no text")
    return WholeObject(identifier, address.document, manifest, published.text_index)


def _absent(reason: str) -> Refusal:
    return Refusal(UnknownImage(reason))


class Manifests:
    """Answers with manifests of images, which it makes from their records, and published ones."""

    def __init__(self, settings: DeliverSettings, limits: Limits) -> None:
        self._settings = settings
        self._limits = limits
        self._downloads = settings.downloads_at_once > 0

    def respond(self, request: Request, answer: Manifest | PresentationDocument) -> Response:
        """Return the document in the media type that the client prefers, or 304 if it has it.

        Raises InvalidRequest for a malformed Host.
        """
        if isinstance(answer, PresentationDocument):
            return _respond_published(request, answer)
        base = base_url(request, self._settings.public_base_url)
        context, build = _BUILDERS[answer.version]
        image = answer.image
        media = media_headers(answer.version, context, request.headers.get("accept"))
        other = _other_version_link(answer.version, image.identifier, MANIFEST)
        # The manifest of an object that is this image and has no other name.
        item = object_of_image(image.identifier, self._settings.rights_uri)
        resource = describe_image(
            image.identifier,
            image,
            self._limits,
            downloads=self._downloads and answer.is_whole,
            is_public=answer.is_public,
        )
        document = build(item, {image.identifier: resource}, base)
        named = (*headers.add_links(media, other), *headers.brief_life())
        return document_if_changed(request, json_response(200, document, named))


def _respond_published(request: Request, answer: PresentationDocument) -> Response:
    """Return a published document as it is kept, if the client takes Brotli; else in full.

    Then nginx compresses it, by gzip.
    """
    context, _ = _BUILDERS[answer.version]
    negotiated = media_headers(answer.version, context, request.headers.get("accept"))
    other = _other_version_link(answer.version, answer.identifier, answer.document)
    media, vary, *link = headers.add_links(negotiated, other, EVERYTHING_LINK)
    etag = document_etag(answer.compressed, media[1])
    is_compressed = takes_encoding(request.headers.get("accept-encoding"), _BROTLI)
    if is_compressed:
        vary, link = ("vary", "Accept, Accept-Encoding"), [*link, ("content-encoding", _BROTLI)]
    named = (media, vary, *link, *headers.brief_life(), ("etag", etag))
    if known := respond_if_known(request, named):
        return known
    body = answer.compressed if is_compressed else brotli.decompress(answer.compressed)
    return Response(status=200, headers=named, body=body)


def _other_version_link(version: int, identifier: str, document: str) -> str:
    """Return the link to the same document in the other version of the Presentation API."""
    other = next(number for number in _BUILDERS if number != version)
    return f'<{document_path(other, identifier, document)}>;rel="alternate"'
