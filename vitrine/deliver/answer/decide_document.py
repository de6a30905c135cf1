"""Which manifest or collection answers a request for a document."""

from collections.abc import Mapping

from vitrine.deliver.answer.access_paths import PUBLIC, Elsewhere
from vitrine.deliver.answer.decide import (
    Absent,
    Invalid,
    Manifest,
    PresentationDocument,
    RedirectTo,
    Tombstone,
    WithoutImage,
)
from vitrine.errors import RequestError
from vitrine.identify.resolve import MovedTo, Resolution, Serve, Unknown, WithdrawnIdentifier
from vitrine.iiif.presentation.addresses import (
    COLLECTION,
    DOCUMENTS,
    NEWEST,
    DocumentAddress,
    document_path,
)
from vitrine.store import publications


def decide_manifest(address: DocumentAddress, decision: Resolution) -> WithoutImage:
    """Return the manifest that an image has by itself, where no object has its identifier."""
    if address.version is None or not address.document:
        return RedirectTo(301, address.path())
    if address.text or address.remarks:
        return Absent(f"the image {address.identifier[:255]!r} has no annotations by itself")
    if address.document == COLLECTION or address.page:
        return Absent(f"there is no collection {address.identifier[:255]!r}")
    match decision:
        case Unknown():
            return Absent(f"there is no object and no image {address.identifier[:255]!r}")
        case WithdrawnIdentifier(reason, since):
            return Tombstone(reason, since)
        case MovedTo(identifier):
            return RedirectTo(301, address.path_of(identifier))
        case Serve(image):
            try:
                view = PUBLIC.view(image)
            except RequestError as error:
                return Invalid(error)
            if isinstance(view, Elsewhere):
                return Manifest(image, address.version, is_whole=False)
            return Manifest(view.image, address.version, view.is_whole)


def decide_published(
    address: DocumentAddress,
    published: publications.Publication,
    page: Mapping[int, bytes] | None = None,
) -> WithoutImage:
    """Return the answer to a request for what was published under an identifier.

    `page` has the documents of the page that the address names, if there is one.
    """
    match published:
        case publications.Moved(target=target):
            return RedirectTo(301, address.path_of(target))
        case publications.Withdrawn(reason=reason, since=since):
            return Tombstone(reason, since)
        case publications.Waiting():
            name = repr(address.identifier[:255])
            return Absent(f"none of the images of {name} is published yet")
        case publications.Published(kind=kind, documents=documents, pages=pages):
            version, identifier = address.version or NEWEST, address.identifier
            number = address.text or address.remarks
            is_page = address.page if kind == "collection" else number
            document = address.document if is_page else DOCUMENTS[kind]
            if address.version is None or address.document != document:
                return RedirectTo(301, document_path(version, identifier, document))
            if is_page and not page and kind == "manifest":
                what = "text" if address.text else "annotations"
                return Absent(f"canvas {number:,} of {identifier[:255]!r} has no {what}")
            if is_page and not page:
                has = f"{pages:,} pages" if pages else "no pages: it is in one piece"
                return Absent(f"the collection {identifier[:255]!r} has {has}")
            found = page if page and is_page else documents
            return PresentationDocument(found[version], version, identifier, document)
