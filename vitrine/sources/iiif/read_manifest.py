"""A manifest of another institution as an object of ours; what it is shown without is named."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, get_args

from vitrine.errors import IdentifierRefused, VitrineError
from vitrine.iiif.presentation.model import (
    Behaviour,
    Canvas,
    CanvasPart,
    ImageElsewhere,
    Link,
    PublishedObject,
    Range,
    Statement,
    Texts,
    ViewingDirection,
)
from vitrine.iiif.presentation.rights import rights_uri
from vitrine.sources.iiif.names import image_identifier, object_identifier
from vitrine.sources.iiif.painted_images import (
    WHOLE,
    ForeignImage,
    find_image,
    read_fragment,
    service_version,
)
from vitrine.sources.iiif.properties import (
    UNNAMED,
    Json,
    Say,
    as_address,
    as_list,
    as_objects,
    as_text,
    has_other_values,
    identifier_of,
    is_web,
    note_rest,
    read_agents,
    read_links,
    read_statement,
    read_statements,
    read_texts,
)
from vitrine.sources.iiif.upgrade import upgrade
from vitrine.text.allowed_html import clean_label, clean_value
from vitrine.text.foreign_json import decode_json

_DESCRIPTIVE = (
    *("@context", "id", "@id", "type", "@type", "label", "summary", "metadata", "rights"),
    *("requiredStatement", "provider", "homepage", "seeAlso", "rendering", "navDate", "behavior"),
)
_OF_MANIFESTS = (
    *(*_DESCRIPTIVE, "items", "structures", "thumbnail", "viewingDirection", "start"),
    *("logo", "service", "services", "sequences"),
)
_OF_CANVASES = (
    *(*_DESCRIPTIVE, "items", "content", "thumbnail", "placeholderCanvas", "annotations"),
    *("height", "width"),
)
_OF_PLACEHOLDERS = ("@context", "id", "type", "height", "width", "items")
_OF_RANGES = (*_DESCRIPTIVE, "items")
TOO_DEEP = "its ranges are in each other too deeply"
MAX_SAID = 5
"""Pages of a manifest that a note names."""
_BEHAVIOURS, _DIRECTIONS = get_args(Behaviour), get_args(ViewingDirection)


class ManifestUnusable(VitrineError):
    """A document cannot become an object; the message says why."""


@dataclass
class ReadManifest:
    """An object, and where its images are."""

    item: PublishedObject
    images: Mapping[str, ForeignImage]
    """Images by the identifiers that the canvases name."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Property, and what is left out of it."""


def parse_document(body: bytes) -> Json:
    """Return a manifest or collection as version 3 has it. Raises ManifestUnusable."""
    try:
        document = decode_json(body)
    except ValueError as error:
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
        return _ManifestReader(document, refers).read()
    except RecursionError:
        raise ManifestUnusable(TOO_DEEP) from None


class _ManifestReader:
    def __init__(self, document: Json, refers: bool) -> None:
        self._document = document
        self._refers = refers
        self._notes: list[tuple[str, str]] = []
        self._places: dict[str, int] = {}
        self._sources: dict[str, Json] = {}
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
            start=self._start(),
            **self._thumbnail(),
        )
        return ReadManifest(item, self._images, self._notes)

    def _why_empty(self) -> str:
        if not as_objects(self._document.get("items")):
            return "it has no canvases"
        reasons = dict.fromkeys(sentence for _, sentence in self._notes)
        return "none of its canvases has an image: " + "; ".join(reasons)

    def _description(self, identifier: str) -> dict[str, Any]:
        document = self._document
        label = self._texts(document, "label", self._note)
        if not label:
            self._note("label", "it has no title")
        if not document.get("rights"):
            self._note("rights", "it names no rights")
        if document.get("logo"):
            self._note("logo", "its logo, which belongs to no provider, is left out")
        for name in ("service", "services"):
            if document.get(name):
                self._note("service", "its services, such as search or login, are left out")
        # A number is what `upgrade` leaves; version 3 has no such property.
        orders = document.get("sequences")
        if isinstance(orders, int) and orders > 1:
            self._note("sequences", "it has several orders of its pages: the first is shown")
        note_rest(document, _OF_MANIFESTS, self._note)
        return {
            "label": label or {"none": (identifier,)},
            "summary": self._texts(document, "summary", self._note, clean_value),
            **self._properties(document, self._note),
        }

    def _properties(self, resource: Json, say: Say) -> dict[str, Any]:
        """Return what any resource may say of itself; what is left out of it is said."""
        rights, others = self._rights(resource, say)
        for pair in as_list(resource.get("metadata")):
            described = pair if isinstance(pair, dict) else {}
            value = described.get("value")
            if has_other_values(value) or has_other_values(described.get("label")) or not described:
                say("metadata", f"{str(value or pair)[:80]!r} is no text: it is left out")
            elif not read_statement(pair) and (label := read_texts(described.get("label"))):
                names = ", ".join(text for several in label.values() for text in several)
                say("metadata", f"{names[:80]!r} has no value: it is left out")

        def links(name: str, kind: str = "Text") -> tuple[Link, ...]:
            return tuple(
                read_links(
                    resource.get(name),
                    lambda part, said: say(f"{name} {part}".strip(), said),
                    kind=kind,
                )
            )

        return {
            "metadata": (*read_statements(resource.get("metadata")), *others),
            "rights": rights,
            "required_statement": self._required(resource, say),
            "provider": tuple(
                read_agents(resource.get("provider"), lambda _, said: say("provider", said))
            ),
            "homepage": links("homepage"),
            "see_also": links("seeAlso", "Dataset"),
            "rendering": links("rendering"),
            "nav_date": self._nav_date(resource, say),
            "behaviour": self._behaviour(resource, say),
        }

    def _texts(
        self,
        resource: Json,
        name: str,
        say: Say,
        clean: Callable[[str], str] = clean_label,
    ) -> Texts:
        value = resource.get(name)
        if has_other_values(value):
            say(name, f"{str(value)[:80]!r} is not all text: the rest is left out")
        return read_texts(value, clean)

    def _required(self, resource: Json, say: Say) -> Statement | None:
        stated = resource.get("requiredStatement")
        found = read_statement(stated)
        if stated and (not found or has_other_values(stated.get("value"))):
            say("requiredStatement", f"{str(stated)[:80]!r} is not all text: the rest is left out")
        return found

    def _canvases(self) -> list[Canvas]:
        found: list[Canvas] = []
        said: dict[str, list[int]] = {}
        for number, canvas in enumerate(as_objects(self._document.get("items")), start=1):
            painted = find_image(canvas)
            sentences = list(painted.sentences)
            if canvas.get("annotations"):
                sentences.append("its annotations are left out")
            made = self._canvas(canvas, painted.image, sentences) if painted.image else None
            for sentence in dict.fromkeys(sentences):
                said.setdefault(sentence, []).append(number)
            if made:
                address = identifier_of(canvas)
                self._sources.setdefault(address, canvas)
                self._places.setdefault(address, len(found))
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

        def say(name: str, sentence: str) -> None:
            sentences.append(f"{name}: {sentence}")

        note_rest(canvas, _OF_CANVASES, say)
        thumbnails = [as_address(one) for one in as_list(canvas.get("thumbnail"))]
        small = next((one for one in thumbnails if is_web(one)), "")
        shown = any(_is_of(one, image) for one in as_list(canvas.get("thumbnail")))
        if thumbnails and not shown and not (self._refers and small):
            say("thumbnail", f"{thumbnails[0][:80]!r} is left out: its image is shown in its place")
        return Canvas(
            image="" if self._refers else identifier,
            elsewhere=image.reference(canvas, small) if self._refers else None,
            label=self._texts(canvas, "label", say),
            alt_text=self._texts(canvas, "summary", say, clean_value),
            placeholder=self._placeholder(canvas.get("placeholderCanvas"), say),
            **self._properties(canvas, say),
        )

    def _placeholder(self, canvas: Any, say: Say) -> ImageElsewhere | None:
        """Return what a placeholder shows, where it is."""
        if not canvas:
            return None
        painted = find_image(canvas) if isinstance(canvas, dict) else None
        found = painted.image.reference(canvas) if painted and painted.image else None
        if not found or not found.width:
            say("placeholderCanvas", "it is left out: it has no image of a known size")
            return None
        note_rest(canvas, _OF_PLACEHOLDERS, lambda name, said: say("placeholderCanvas", said))
        if not self._refers:
            say("placeholderCanvas", f"its image stays where it is: {found.address}")
        return found

    def _behaviour(self, described: Json, say: Say) -> tuple[Behaviour, ...]:
        named = [as_text(one) for one in as_list(described.get("behavior"))]
        for other in [one for one in named if one and one not in _BEHAVIOURS]:
            say("behavior", f"{other[:40]!r} is left out")
        return tuple(one for one in _BEHAVIOURS if one in named)

    def _direction(self) -> ViewingDirection:
        named = as_text(self._document.get("viewingDirection"))
        found = [one for one in _DIRECTIONS if one == named]
        if named and not found:
            self._note("viewingDirection", f"{named[:40]!r} is no direction: it is left out")
        return found[0] if found else "left-to-right"

    def _start(self) -> int:
        """Return the place of the canvas that viewers open first."""
        start = self._document.get("start")
        if not start:
            return 0
        name, fragment = _canvas_of(start)
        if fragment or (isinstance(start, dict) and start.get("selector")):
            self._note("start", "it is a part of a page: the page is shown first")
        if name not in self._places:
            self._note("start", "it is no page that is shown: the first is")
        return self._places.get(name, 0)

    def _ranges(self, ranges: Any) -> Iterator[Range]:
        for one in as_objects(ranges):
            label = read_texts(one.get("label"))
            title = next((text for several in label.values() for text in several), "…")

            def say(name: str, sentence: str, title: str = title) -> None:
                self._note("range", f"{title[:60]!r}: {name}: {sentence}")

            found = as_list(one.get("items"))
            named = [_canvas_of(part) for part in found if not _is_range(part)]
            places = {name: self._places[name] for name, _ in named if name in self._places}
            below = tuple(self._ranges([part for part in found if _is_range(part)]))
            if not places and not below:
                say("items", "none of its pages is shown: it is left out")
                continue
            if missing := {name for name, _ in named} - set(places):
                say("items", f"{len(missing)} of its pages are not shown")
            note_rest(one, _OF_RANGES, say)
            yield Range(
                label=self._texts(one, "label", say) or UNNAMED,
                summary=self._texts(one, "summary", say, clean_value),
                canvases=tuple(places.values()),
                parts=tuple(self._parts(named, say)),
                ranges=below,
                **self._properties(one, say),
            )

    def _parts(self, named: list[tuple[str, str]], say: Say) -> Iterator[CanvasPart]:
        """Yield the rectangles of canvases; of a canvas that is also named as a whole, none."""
        whole = {name for name, fragment in named if not fragment}
        for name, fragment in dict.fromkeys(named):
            if not fragment or name not in self._places or name in whole:
                continue
            box = read_fragment(fragment, self._sources[name])
            if box is None:
                say("items", f"{fragment[:60]!r} is no part of its page: the page is named")
            elif box != WHOLE:
                left, top, width, height = box
                yield CanvasPart(
                    canvas=self._places[name], left=left, top=top, width=width, height=height
                )

    def _rights(self, resource: Json, say: Say) -> tuple[str, list[Statement]]:
        """Return the URI of the rights; what is no such URI becomes a line of metadata."""
        texts = [as_text(one) for one in as_list(resource.get("rights"))]
        texts = [text for text in texts if text]
        found = list(dict.fromkeys(uri for text in texts if (uri := rights_uri(text))))
        others = tuple(text for text in texts if not rights_uri(text)) + tuple(found[1:])
        if not others:
            return (found[0] if found else ""), []
        said = "is shown as a line of metadata: only Creative Commons and RightsStatements.org"
        say("rights", f"{others[0][:80]!r} {said} have URIs for rights, and one alone has a place")
        line = Statement(label={"en": ("Rights",)}, value={"none": others})
        return (found[0] if found else ""), [line]

    def _nav_date(self, resource: Json, say: Say) -> str:
        text = as_text(resource.get("navDate"))
        if not text:
            return ""
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            say("navDate", f"{text[:40]!r} is no moment: it is left out")
            return ""
        if moment.tzinfo:
            return text
        say("navDate", f"{text[:40]!r} names no time zone: it is taken for one of UTC")
        return f"{moment.isoformat(timespec='seconds')}Z"

    def _thumbnail(self) -> dict[str, Any]:
        """Return what lists show: one of the object's images, or a picture of another server."""
        thumbnails = as_list(self._document.get("thumbnail"))
        if len(thumbnails) > 1:
            self._note("thumbnail", f"it has {len(thumbnails)}: one is shown")
        for one in thumbnails:
            if self._refers and is_web(address := as_address(one)):
                return {"thumbnail_elsewhere": address}
            for identifier, image in self._images.items():
                if not self._refers and _is_of(one, image):
                    return {"thumbnail": identifier}
            self._note("thumbnail", "it is not one of the object's images: the first is shown")
        return {}

    def _note(self, place: str, sentence: str) -> None:
        if (place, sentence) not in self._notes:
            self._notes.append((place, sentence))


def _is_range(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "Range"


def _canvas_of(part: Any) -> tuple[str, str]:
    """Return the canvas that an item of a range is, or is a part of, and the fragment of a part."""
    fragment = ""
    if isinstance(part, dict) and part.get("type") == "SpecificResource":
        selectors = as_objects(part.get("selector"))
        fragment = next((as_text(one.get("value")) for one in selectors), "")
        part = part.get("source")
    name, _, own = identifier_of(part).partition("#")
    return name, fragment or own


def _is_of(thumbnail: Any, image: ForeignImage) -> bool:
    """Return True if a thumbnail is a picture of an image."""
    services = as_objects(thumbnail.get("service")) if isinstance(thumbnail, dict) else []
    named = [as_address(service) for service in services if service_version(service)]
    addresses = (*named, as_address(thumbnail))
    return any(f"{address}/".startswith(f"{image.address}/") for address in addresses)


def _pages(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:MAX_SAID]))
    more = len(numbers) - MAX_SAID
    word = "page" if len(numbers) == 1 else "pages"
    return f"{word} {shown} and {more:,} more" if more > 0 else f"{word} {shown}"
