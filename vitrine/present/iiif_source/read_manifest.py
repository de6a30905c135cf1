"""A manifest of another institution as an object of ours; what it is shown without is named."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, get_args

from vitrine.errors import IdentifierRefused, VitrineError
from vitrine.iiif.presentation.model import (
    Behaviour,
    Canvas,
    PublishedObject,
    Range,
    Statement,
    ViewingDirection,
)
from vitrine.present.iiif_source.names import image_identifier, object_identifier
from vitrine.present.iiif_source.painted_images import ForeignImage, find_image, service_version
from vitrine.present.iiif_source.properties import (
    Json,
    as_list,
    as_objects,
    as_text,
    identifier_of,
    read_agents,
    read_links,
    read_statement,
    read_statements,
    read_texts,
)
from vitrine.present.iiif_source.upgrade import upgrade
from vitrine.present.rights import rights_uri

TOO_DEEP = "its ranges are in each other too deeply"
MOST_SAID = 5
"""Pages of a manifest that a note names."""
_BEHAVIOURS, _DIRECTIONS = get_args(Behaviour), get_args(ViewingDirection)


class ManifestUnusable(VitrineError):
    """A document cannot become an object; the message says why."""


@dataclass
class ReadManifest:
    """An object, and where its images are."""

    item: PublishedObject
    images: Mapping[str, ForeignImage]
    """By the identifiers that the canvases name."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Property, and what is left out of it."""


def parse_document(body: bytes) -> Json:
    """Return a manifest or collection as version 3 has it. Raises ManifestUnusable."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ManifestUnusable(f"it is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise ManifestUnusable("it is JSON, but neither a manifest nor a collection")
    try:
        return upgrade(document)
    except RecursionError:
        raise ManifestUnusable(TOO_DEEP) from None


def read_manifest(document: Json, *, refers: bool = False) -> ReadManifest:
    """Return the object that a manifest describes. Raises ManifestUnusable.

    With `refers` its canvases show the images where they are.
    """
    try:
        return _Reader(document, refers).read()
    except RecursionError:
        raise ManifestUnusable(TOO_DEEP) from None


class _Reader:
    def __init__(self, document: Json, refers: bool) -> None:
        self._document = document
        self._refers = refers
        self._notes: list[tuple[str, str]] = []
        self._places: dict[str, int] = {}
        self._images: dict[str, ForeignImage] = {}

    def read(self) -> ReadManifest:
        document = self._document
        kind = as_text(document.get("type")) or as_text(document.get("@type"))
        if kind != "Manifest":
            said = f"{kind[:40]!r} is its type" if kind else "it names no type"
            raise ManifestUnusable(f"it is no manifest: {said}")
        address = identifier_of(document)
        if not address:
            raise ManifestUnusable("it has no id")
        try:
            identifier = object_identifier(address)
        except IdentifierRefused as error:
            raise ManifestUnusable(f"no identifier can be made of {address}: {error}") from None
        canvases = self._canvases()
        if not canvases:
            raise ManifestUnusable(self._why_empty())
        item = PublishedObject(
            identifier=identifier,
            **self._description(identifier),
            canvases=tuple(canvases),
            viewing_direction=self._direction(),
            ranges=tuple(self._ranges(document.get("structures"))),
            thumbnail="" if self._refers else self._thumbnail(),
        )
        return ReadManifest(item, self._images, self._notes)

    def _why_empty(self) -> str:
        if not as_objects(self._document.get("items")):
            return "it has no canvases"
        reasons = dict.fromkeys(sentence for _, sentence in self._notes)
        return "none of its canvases has an image: " + "; ".join(reasons)

    def _description(self, identifier: str) -> dict[str, Any]:
        document = self._document
        label = read_texts(document.get("label"))
        if not label:
            self._note("label", "it has no title")
        rights, metadata = self._rights(list(read_statements(document.get("metadata"))))
        if document.get("logo"):
            self._note("logo", "its logo, which belongs to no provider, is left out")
        for name in ("service", "services"):
            if document.get(name):
                self._note("service", "its services, such as search or login, are left out")
        # A number is what `upgrade` leaves; version 3 has no such property.
        orders = document.get("sequences")
        if isinstance(orders, int) and orders > 1:
            self._note("sequences", "it has several orders of its pages: the first is shown")
        return {
            "label": label or {"none": (identifier,)},
            "summary": read_texts(document.get("summary")),
            "metadata": tuple(metadata),
            "rights": rights,
            "required_statement": read_statement(document.get("requiredStatement")),
            "provider": tuple(read_agents(document.get("provider"))),
            "homepage": tuple(read_links(document.get("homepage"))),
            "see_also": tuple(read_links(document.get("seeAlso"), kind="Dataset")),
            "rendering": tuple(read_links(document.get("rendering"))),
            "nav_date": self._nav_date(),
            "behaviour": self._behaviour(document, "behavior"),
        }

    def _canvases(self) -> list[Canvas]:
        found: list[Canvas] = []
        said: dict[str, list[int]] = {}
        for number, canvas in enumerate(as_objects(self._document.get("items")), start=1):
            painted = find_image(canvas)
            sentences = list(painted.sentences)
            if canvas.get("annotations"):
                sentences.append("its annotations are left out")
            made = self._canvas(canvas, painted.image, sentences) if painted.image else None
            for sentence in sentences:
                said.setdefault(sentence, []).append(number)
            if made:
                self._places.setdefault(identifier_of(canvas), len(found))
                found.append(made)
        for sentence, numbers in said.items():
            self._note("canvas", f"{_pages(numbers)}: {sentence}")
        return found

    def _canvas(self, canvas: Json, image: ForeignImage, sentences: list[str]) -> Canvas | None:
        try:
            identifier = image_identifier(image.address)
        except IdentifierRefused as error:
            sentences.append(f"no identifier can be made of {image.address}: {error}")
            return None
        other = self._images.setdefault(identifier, image)
        if other.address != image.address:
            sentences.append(f"its image would have the identifier of {other.address}")
            return None
        if self._refers and not image.reference(canvas).width:
            sentences.append("nothing says how large its image is")
            return None
        return Canvas(
            image="" if self._refers else identifier,
            elsewhere=image.reference(canvas) if self._refers else None,
            label=read_texts(canvas.get("label")),
            alt_text=read_texts(canvas.get("summary")),
            metadata=read_statements(canvas.get("metadata")),
            behaviour=self._behaviour(canvas, "behavior of canvases"),
        )

    def _behaviour(self, described: Json, place: str) -> tuple[Behaviour, ...]:
        named = [as_text(one) for one in as_list(described.get("behavior"))]
        for other in [one for one in named if one and one not in _BEHAVIOURS]:
            self._note(place, f"{other[:40]!r} is left out")
        return tuple(one for one in _BEHAVIOURS if one in named)

    def _direction(self) -> ViewingDirection:
        named = as_text(self._document.get("viewingDirection"))
        found = [one for one in _DIRECTIONS if one == named]
        if named and not found:
            self._note("viewingDirection", f"{named[:40]!r} is no direction: it is left out")
        return found[0] if found else "left-to-right"

    def _ranges(self, ranges: Any) -> Iterator[Range]:
        for one in as_objects(ranges):
            parts = as_list(one.get("items"))
            inner = [part for part in parts if _is_range(part)]
            named = [_canvas_of(part) for part in parts if not _is_range(part)]
            places = tuple(self._places[name] for name in named if name in self._places)
            below = tuple(self._ranges(inner))
            if not places and not below:
                continue  # of canvases that are not shown
            label = read_texts(one.get("label")) or {"none": ("…",)}
            yield Range(label=label, canvases=places, ranges=below)

    def _rights(self, metadata: list[Statement]) -> tuple[str, list[Statement]]:
        """Return the URI of the rights; what is no such URI becomes a line of metadata."""
        texts = [as_text(one) for one in as_list(self._document.get("rights"))]
        texts = [text for text in texts if text]
        found = [uri for text in texts if (uri := rights_uri(text))]
        others = tuple(text for text in texts if not rights_uri(text)) + tuple(found[1:])
        if others:
            said = "is shown as a line of metadata: only Creative Commons and RightsStatements.org"
            self._note("rights", f"{others[0][:80]!r} {said} have URIs for rights")
            metadata.append(Statement(label={"en": ("Rights",)}, value={"none": others}))
        elif not found:
            self._note("rights", "it names no rights")
        return (found[0] if found else ""), metadata

    def _nav_date(self) -> str:
        text = as_text(self._document.get("navDate"))
        if not text:
            return ""
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            self._note("navDate", f"{text[:40]!r} is no moment: it is left out")
            return ""
        if moment.tzinfo:
            return text
        self._note("navDate", f"{text[:40]!r} names no time zone: it is taken for one of UTC")
        return f"{moment.isoformat(timespec='seconds')}Z"

    def _thumbnail(self) -> str:
        """Return the image that lists show: one of those that the object has."""
        for one in as_list(self._document.get("thumbnail")):
            services = as_objects(one.get("service")) if isinstance(one, dict) else []
            named = [identifier_of(service) for service in services if service_version(service)]
            for address in [*named, identifier_of(one)]:
                for identifier, image in self._images.items():
                    if f"{address}/".startswith(f"{image.address}/"):
                        return identifier
            self._note("thumbnail", "it is not one of the object's images: the first is shown")
        return ""

    def _note(self, place: str, sentence: str) -> None:
        if (place, sentence) not in self._notes:
            self._notes.append((place, sentence))


def _is_range(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "Range"


def _canvas_of(part: Any) -> str:
    """Return the canvas that an item of a range is, or is a part of."""
    if isinstance(part, dict) and part.get("type") == "SpecificResource":
        part = part.get("source")
    return identifier_of(part).partition("#")[0]


def _pages(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:MOST_SAID]))
    more = len(numbers) - MOST_SAID
    word = "page" if len(numbers) == 1 else "pages"
    return f"{word} {shown} and {more:,} more" if more > 0 else f"{word} {shown}"
