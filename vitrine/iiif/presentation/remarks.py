"""Annotations of a canvas that are not its text: comments, tags, descriptions, links and marks.

https://www.w3.org/TR/annotation-model/
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

TEXTUAL = "TextualBody"
PLAIN, HTML = "text/plain", "text/html"
MOTIVATION_PREFIXES = (
    *("oa:", "sc:"),
    *("http://www.w3.org/ns/oa#", "http://iiif.io/api/presentation/2#"),
)
Rectangle = tuple[int, int, int, int]
"""x, y, width and height in pixels of the canvas."""


class AnnotationBody(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an annotation says: a text, or an address that it leads to."""

    value: str
    type: str = TEXTUAL
    """Type `TEXTUAL`, or that of the resource at the address."""
    format: str = ""
    language: str = ""
    purpose: str = ""
    plain: str = ""
    """Text of a body that is HTML; empty for all else."""

    @property
    def words(self) -> str:
        """What can be found of it."""
        if self.type != TEXTUAL:
            return ""
        return self.plain if self.format == HTML else self.value


class CanvasPlace(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of the canvas; without anything, all of it."""

    box: Rectangle | None = None
    is_point: bool = False
    """True if that is one pixel, meant as a point."""
    shape: str = ""
    """SVG of the outline, in pixels of the canvas."""


class Remark(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One annotation."""

    motivations: tuple[str, ...]
    own_name: str = ""
    """Eight digits of the identifier that it has in its file; empty if it has none there."""
    bodies: tuple[AnnotationBody, ...] = ()
    places: tuple[CanvasPlace, ...] = (CanvasPlace(),)
    creator: str = ""
    """An address with http or https, or else a name."""
    created: str = ""
    modified: str = ""

    @property
    def boxes(self) -> tuple[Rectangle, ...]:
        """The rectangles of its places."""
        return tuple(place.box for place in self.places if place.box)


def remark_name(number: int, name: str) -> str:
    """Return what names an annotation of an object: its canvas, from 1, and its name there."""
    return f"{number}-{name}"


def targets_of(canvas: str, boxes: Sequence[Rectangle]) -> Iterator[str]:
    """Yield the URIs of the parts of a canvas; its own, if no box is given."""
    if not boxes:
        yield canvas
    for box in boxes:
        yield f"{canvas}#xywh={','.join(map(str, box))}"


def short_motivation(name: str) -> str:
    """Return a motivation without the prefix or namespace of Open Annotation or Shared Canvas."""
    for prefix in MOTIVATION_PREFIXES:
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def motivation_2(motivation: str) -> str:
    """Return a motivation as Open Annotation writes it, with its prefix."""
    return motivation if ":" in motivation else f"oa:{motivation}"
