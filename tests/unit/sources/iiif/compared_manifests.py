"""What a manifest says, field by field, and what has become of it when it was taken over.

It reads both documents by itself, so that it sees what the reader of manifests overlooks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from re import sub
from typing import Any, Literal
from urllib.parse import quote

from vitrine.catalogue.cleaning import clean_item
from vitrine.iiif.presentation.image_resource import ImageResource
from vitrine.iiif.presentation.version3 import build_manifest
from vitrine.sources.iiif.read_manifest import ReadManifest

Json = dict[str, Any]
NEW_NAMES = {
    "attribution": "requiredStatement",
    "license": "rights",
    "description": "summary",
    "related": "homepage",
    "viewingHint": "behavior",
    "within": "partOf",
    "startCanvas": "start",
    "otherContent": "annotations",
}
"""Names of version 3, by those of version 2: notes have these."""
STRUCTURE = {
    *("@context", "id", "@id", "type", "@type", "items", "sequences", "canvases", "structures"),
    *("images", "height", "width", "content", "ranges", "members"),
}
"""Fields that hold resources together, and their addresses: addresses change, and tests of ranges
and canvases look at the rest."""
FIRST = "first page"
TECHNICAL = {
    *("@context", "@type", "type", "service", "@language", "format", "profile", "language"),
    *("height", "width"),
}
"""Properties within fields that are no statements of a curator's."""


@dataclass(frozen=True)
class Field:
    """A property of a manifest, a canvas or a range."""

    resource: str
    name: str
    fate: Literal["kept", "noted", "lost"]
    values: tuple[str, ...]
    """Values that are not to be found afterwards."""


class _AnyImage(dict[str, ImageResource]):
    def __missing__(self, identifier: str) -> ImageResource:
        return ImageResource(identifier, 100, 100, (100, 100), (10, 10))


def compare(source: Json, read: ReadManifest) -> Iterator[Field]:
    """Yield every field of a source with what has become of it."""
    made = build_manifest(clean_item(read.item), _AnyImage(), "https://ours.example")
    own = {name: value for name, value in made.items() if name not in ("items", "structures")}
    sequence = next((one for one in _objects(source.get("sequences"))), {})
    pages = _objects(sequence.get("canvases") or source.get("items"))
    own[FIRST] = next((page.get("@id") or page.get("id") for page in pages), "")
    for resource, document in (("manifest", source), ("sequence", sequence)):
        yield from _fields(resource, document, own, read.notes)
    is_whole = len(pages) == len(made["items"])
    notes = [one for one in read.notes if one[0] == "canvas"]
    for number, page in enumerate(pages):
        after = made["items"][number] if is_whole else {}
        for field in _fields("canvas", page, after, notes):
            gone = field.fate == "lost" and not is_whole and bool(notes)
            yield Field("canvas", field.name, "noted", ()) if gone else field
    notes = [one for one in read.notes if one[0] == "range"]
    contents = _known(made.get("structures"))
    for one in _ranges(source.get("structures")):
        if one.get("viewingHint") != "top":
            yield from _fields("range", one, {}, notes, contents)


def _fields(
    resource: str,
    document: Json,
    after: Json,
    notes: Sequence[tuple[str, str]],
    known: set[str] | None = None,
) -> Iterator[Field]:
    known = known or _known(after)
    said = "\n".join(f"{place}: {sentence}" for place, sentence in notes)
    for name, value in document.items():
        if name in STRUCTURE or not (leaves := set(_leaves(value))):
            continue
        missing = tuple(
            leaf
            for leaf in sorted(leaves)
            if _plain(leaf) not in known and not _is_kept(leaf, known)
        )
        new = NEW_NAMES.get(name, name)
        if _is_shown_otherwise(new, value, after):
            missing = ()
        is_noted = (
            all(leaf[:60] in said for leaf in missing)
            or f"{name}:" in said
            or f"{new}:" in said
            or f"{new} " in said
            or f"its {new}" in said
        )
        fate = "kept" if not missing else "noted" if is_noted else "lost"
        yield Field(resource, name, fate, missing)


def _is_shown_otherwise(name: str, value: Any, made: Json) -> bool:
    """Return True for what has another value in our manifest, and means the same."""
    match name:
        case "viewingDirection":
            return bool(value == made.get(name, "left-to-right"))
        case "start":
            return name in made or (FIRST in made and value == made[FIRST])
        case "placeholderCanvas":
            source, own = ({*_addresses(one, "body")} for one in (value, made.get(name)))
            return bool(source) and source == own
        case "thumbnail":
            # Of our own image, from our own service; what is another picture is noted.
            return bool(made.get(name)) and "ours.example" in str(made[name])
    return False


def _addresses(value: Any, name: str) -> Iterator[str]:
    """Yield the addresses of all resources that a document has under a name."""
    if isinstance(value, dict):
        if isinstance(found := value.get(name), dict):
            yield str(found.get("id"))
        for inner in value.values():
            yield from _addresses(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _addresses(inner, name)


def _known(made: Any) -> set[str]:
    return {_plain(text) for text in _leaves(made)}


def _leaves(value: Any) -> Iterator[str]:
    """Yield all that a value says, however deep."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in TECHNICAL and ("@value" not in value or name == "@value"):
                yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif isinstance(value, str) and value.strip():
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


def _plain(text: str) -> str:
    """Return a text without markup and differences that mean nothing."""
    return " ".join(unescape(sub(r"<[^<>]*>", " ", text)).split()) or " ".join(text.split())


def _is_kept(leaf: str, known: set[str]) -> bool:
    """Return True for an address that is spelled otherwise, or a picture that is ours now."""
    spelled = quote(leaf.strip(), safe="".join(map(chr, range(0x21, 0x7F))))
    licence = sub(r"^https://(www\.)?(creativecommons|rightsstatements)", r"http://\2", leaf)
    return spelled in known or licence.rstrip("/") + "/" in known


def _ranges(value: Any) -> Iterator[Json]:
    for one in _objects(value):
        yield one
        yield from _ranges(
            [part for part in _objects(one.get("items")) if part.get("type") == "Range"]
        )


def _objects(value: Any) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
