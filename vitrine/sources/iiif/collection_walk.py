"""What a IIIF collection lists: its manifests and collections, nested and paged, each once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from vitrine.iiif.presentation.model import Texts
from vitrine.sources.harvest.guarded_http import NotHarvested
from vitrine.sources.iiif.properties import (
    Json,
    as_objects,
    as_text,
    identifier_of,
    read_texts,
)
from vitrine.sources.iiif.read_manifest import ManifestUnusable, parse_document

MAX_COLLECTIONS = 10_000
MAX_MANIFESTS = 500_000
MAX_NESTED = 50
"""Collections in each other."""
MAX_PAGES = 10_000
"""Pages of one collection."""

Get = Callable[[str], bytes]


@dataclass(frozen=True)
class ListedMember:
    """A manifest or collection, as a collection lists it."""

    address: str
    is_collection: bool
    label: Texts


@dataclass(frozen=True)
class ForeignCollection:
    """A collection of others."""

    address: str
    label: Texts
    members: tuple[ListedMember, ...]


@dataclass
class CollectionWalk:
    """What was found below an address."""

    manifests: list[str] = field(default_factory=list)
    """Addresses in the order of the collections."""
    collections: list[ForeignCollection] = field(default_factory=list)
    """The one that was asked for first; none if it is a manifest."""
    failures: list[str] = field(default_factory=list)
    """Failures of collections in it; what they list is not known."""


def walk(address: str, get: Get) -> CollectionWalk:
    """Return what is below the address of a collection or of a single manifest.

    A collection in itself is entered once. Raises NotHarvested if the address itself does not
    answer.
    """
    found, waiting, seen = CollectionWalk(), [(address, 1)], {address}
    manifests: dict[str, None] = {}
    while waiting:
        place, depth = waiting.pop()
        try:
            document = _document(place, get)
            if as_text(document.get("type")) == "Manifest" and place == address:
                return CollectionWalk(manifests=[address])
            collection = _collection(place, document, get)
        except NotHarvested as error:
            if place == address:
                raise
            found.failures.append(str(error))
            continue
        found.collections.append(collection)
        inner = []
        for member in collection.members:
            if not member.is_collection:
                manifests[member.address] = None
            elif member.address not in seen:
                seen.add(member.address)
                inner.append(member.address)
        if inner and depth == MAX_NESTED:
            found.failures.append(f"{place} has collections that are nested too deeply")
        else:
            waiting += [(one, depth + 1) for one in reversed(inner)]
        if len(seen) > MAX_COLLECTIONS or len(manifests) > MAX_MANIFESTS:
            raise NotHarvested(
                f"{address} lists more than {MAX_COLLECTIONS:,} collections or "
                f"{MAX_MANIFESTS:,} manifests: harvest the collections in it one by one"
            )
    found.manifests = list(manifests)
    return found


def _document(address: str, get: Get) -> Json:
    try:
        return parse_document(get(address))
    except ManifestUnusable as error:
        raise NotHarvested(f"{address} cannot be used: {error}") from None


def _collection(address: str, document: Json, get: Get) -> ForeignCollection:
    kind = as_text(document.get("type"))
    if kind != "Collection":
        raise NotHarvested(
            f"{address} is neither a IIIF collection nor a manifest: "
            + (f"{kind[:40]!r} is its type" if kind else "it names no type")
        )
    members = [*_members(document), *_paged(address, document, get)]
    return ForeignCollection(address, read_texts(document.get("label")), tuple(members))


def _members(document: Json) -> Iterator[ListedMember]:
    for one in as_objects(document.get("items")):
        kind, address = as_text(one.get("type")), identifier_of(one)
        if kind in ("Manifest", "Collection") and address:
            yield ListedMember(address, kind == "Collection", read_texts(one.get("label")))


def _paged(address: str, document: Json, get: Get) -> Iterator[ListedMember]:
    """Yield the members on pages (2.1, 5.7 "Paging"; again in the draft of 4.0)."""
    seen: set[str] = set()
    page = identifier_of(document.get("first"))
    while page:
        if page in seen:
            raise NotHarvested(f"{address} names the same page again: {page}")
        if len(seen) == MAX_PAGES:
            raise NotHarvested(f"{address} has more than {MAX_PAGES:,} pages")
        seen.add(page)
        part = _document(page, get)
        yield from _members(part)
        page = identifier_of(part.get("next"))
