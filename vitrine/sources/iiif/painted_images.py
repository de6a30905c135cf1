"""The image that a canvas shows, and the service or the file that it comes from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from vitrine.iiif.presentation.model import ImageElsewhere
from vitrine.sources.iiif.properties import (
    Json,
    as_address,
    as_list,
    as_objects,
    as_text,
    identifier_of,
    is_web,
    note_rest,
)

ServiceVersion = Literal[0, 1, 2, 3]
_PLAYED = {"Sound": "sound", "Audio": "sound", "Video": "video", "Model": "a 3D model"}
_PLAYED |= {"Text": "text", "TextualBody": "text"}
_PICTURES = ("Image", "StillImage")
_OF_ANNOTATIONS = ("@context", "id", "@id", "type", "@type", "motivation", "body", "target")
_RECTANGLE = re.compile(r"xywh=(pixel:|percent:)?((?:\d+(?:\.\d+)?,){3}\d+(?:\.\d+)?)")
WHOLE = (0, 0, 1, 1)
_NOT_KEPT = ("label", "metadata", "rights", "license", "attribution", "seeAlso", "rendering")
"""Properties of an image that have no place in an object: they belong on the image's page."""
_ANNOTATIONS = 1_000
"""Annotations of one canvas that are looked at."""


@dataclass(frozen=True)
class ForeignImage:
    """An image of another server."""

    address: str
    """Address of its image service, without a slash at the end, or of its file."""
    version: ServiceVersion
    """Version of the service's Image API; 0 if there is only a file."""
    width: int = 0
    height: int = 0
    """As the manifest says, 0 if it does not."""
    picture: str = ""
    """Address of a picture of it."""
    profile: str = ""
    """Level of its service."""

    def reference(self, canvas: Json, thumbnail: str = "") -> ImageElsewhere:
        """Return how a canvas of ours shows it where it is; `canvas` is that of the manifest."""
        width, height = (self.width, self.height) if self.width else _size(canvas)
        return ImageElsewhere(
            address=self.picture,
            width=width,
            height=height,
            service=self.address if self.version else "",
            version=self.version,
            profile=self.profile,
            thumbnail=thumbnail,
        )


@dataclass(frozen=True)
class Painted:
    """What a canvas shows: an image, and sentences on what it is shown without."""

    image: ForeignImage | None
    sentences: tuple[str, ...] = ()


def find_image(canvas: Json) -> Painted:
    """Return the first image that is painted on a canvas; others are named."""
    images: list[ForeignImage] = []
    sentences: list[str] = []

    def say(name: str, sentence: str) -> None:
        sentences.append(f"{name} of its image: {sentence}")

    for body, annotation in _bodies(canvas):
        found, said = _image(body)
        sentences += said
        if found:
            images.append(found)
            sentences += [*_target_faults(annotation, canvas), *_faults(body)]
            note_rest(annotation, _OF_ANNOTATIONS, say)
    if len(images) > 1:
        sentences.append(f"it is put together of {len(images)} images: only the first is shown")
    if not images and not sentences:
        sentences.append("it has no image")
    return Painted(images[0] if images else None, tuple(dict.fromkeys(sentences)))


def _faults(body: Json) -> Iterator[str]:
    """Yield what is wrong with an image that can be shown all the same, or is left out of it."""
    for name in _NOT_KEPT:
        if body.get(name):
            yield f"{name} of its image: it is left out: there is no place for it"
    if not body.get("type"):
        yield "its image does not say that it is one"
    if any(body.get(name) is not None and not _pixels(body[name]) for name in ("width", "height")):
        yield "its image has a size that is no number of pixels"


def _target_faults(annotation: Json, canvas: Json) -> Iterator[str]:
    """Yield what is wrong with where an image is painted."""
    target = next(iter(as_list(annotation.get("target"))), None)
    fragment = ""
    if isinstance(target, dict) and "source" in target:
        selectors = as_objects(target.get("selector"))
        fragment = next((as_text(one.get("value")) for one in selectors), "")
        target = target["source"]
    address, _, own = identifier_of(target).partition("#")
    fragment = fragment or own
    if fragment and read_fragment(fragment, canvas) != WHOLE:
        yield f"its image covers a part of it ({fragment[:60]}), and is shown as the whole page"
    if not address:
        yield "its image does not say that it belongs to it"


def read_fragment(fragment: str, canvas: Json) -> tuple[float, float, float, float] | None:
    """Return left, top, width and height of a media fragment in fractions of the canvas.

    None if it is no rectangle within the canvas (https://www.w3.org/TR/media-frags/, 4.2.2).
    """
    found = _RECTANGLE.fullmatch(fragment)
    width, height = _size(canvas)
    if not found or not (width or found[1]):
        return None
    sides = (100, 100) if found[1] == "percent:" else (width, height)
    if not all(sides):
        return None
    left, top, wide, high = (
        float(part) / side for part, side in zip(found[2].split(","), sides * 2, strict=True)
    )
    # A part that reaches over an edge ends at it.
    wide, high = min(wide, 1 - left), min(high, 1 - top)
    return (left, top, wide, high) if wide > 0 and high > 0 else None


def _bodies(canvas: Json) -> Iterator[tuple[Json, Json]]:
    """Yield what is painted, and the annotation by which it is."""
    pages = as_objects(canvas.get("items") or canvas.get("content"))
    annotations = [one for page in pages for one in as_objects(page.get("items"))]
    for annotation in annotations[:_ANNOTATIONS]:
        if "painting" not in as_list(annotation.get("motivation")):
            continue
        for one in as_list(annotation.get("body")):
            body = one if isinstance(one, dict) else {"id": as_text(one), "type": "Image"}
            yield body, annotation


def _image(body: Json) -> tuple[ForeignImage | None, list[str]]:
    """Return the image of a body, and what is left out."""
    kind, sentences = as_text(body.get("type")), []
    if kind in ("Choice", "oa:Choice"):
        offered = as_objects(body.get("items"))
        if not offered:
            return None, ["it offers a choice of nothing"]
        if len(offered) > 1:
            sentences.append(f"it offers {len(offered)} images to choose from: the first is shown")
        found, more = _image(offered[0])
        return found, sentences + more
    if kind == "SpecificResource":
        source = body.get("source")
        if isinstance(source, str):
            source = {"id": source, "type": "Image"}
        if not isinstance(source, dict) or source.get("type") == "SpecificResource":
            return None, ["its image has no address"]
        sentences += _selected(body)
        found, more = _image(source)
        return found, sentences + more
    if kind not in _PICTURES and kind:
        what = _PLAYED.get(kind, f"a body of the type {kind[:40]}")
        return None, [f"it has {what}, which this service does not show"]
    found = _from_service(body) or _from_file(body)
    return found, [] if found else ["its image has no address"]


def _selected(body: Json) -> Iterator[str]:
    """Yield what a canvas does to an image that is shown whole and upright."""
    for selector in as_list(body.get("selector")):
        described = selector if isinstance(selector, dict) else {"value": as_text(selector)}
        turned = described.get("rotation")
        if turned not in (None, "", "0", 0):
            yield f"it turns its image by {str(turned)[:20]} degrees: it is shown as it is stored"
        others = {"type", "@type", "@context", "id", "@id", "rotation"}
        rest = [str(value)[:60] for name, value in described.items() if name not in others]
        if rest:
            yield f"it shows a part of its image ({', '.join(rest)}): the whole image is shown"
    for name in ("styleClass", "style"):
        if style := body.get(name):
            yield (
                f"it turns or changes its image by the style {str(style)[:60]!r}: it is shown as "
                "it is stored"
            )


def _from_service(body: Json) -> ForeignImage | None:
    services = [
        (version, address, _profile(one))
        for one in as_objects(body.get("service"))
        if (version := service_version(one)) and is_web(address := as_address(one))
    ]
    if not services:
        return None
    version, address, profile = max(services, key=lambda one: one[0])
    service = address.rstrip("/")
    whole = {1: "full/full/0/native", 2: "full/full/0/default", 3: "full/max/0/default"}[version]
    picture = as_address(body) if is_web(as_address(body)) else f"{service}/{whole}.jpg"
    return ForeignImage(service, version, *_size(body), picture, profile)


def _from_file(body: Json) -> ForeignImage | None:
    address = as_address(body)
    return ForeignImage(address, 0, *_size(body), address) if is_web(address) else None


def _profile(service: Json) -> str:
    return next(
        (text for one in as_list(service.get("profile")) if (text := as_text(one))), "level0"
    )


def service_version(service: Json) -> ServiceVersion:
    """Return the version of an image service, 0 for another service."""
    kind = as_text(service.get("type")) or as_text(service.get("@type"))
    said = " ".join(
        text
        for name in ("@context", "profile")
        for one in as_list(service.get(name))
        if isinstance(text := one, str)
    )
    if kind == "ImageService3" or "image/3" in said:
        return 3
    if kind == "ImageService1" or "image/1" in said or "stanford.edu/iiif/image-api" in said:
        return 1
    if kind == "ImageService2" or "image/2" in said or "image-api" in said:
        return 2
    return 2 if kind in ("", "iiif:Image") and said.startswith("level") else 0


def _size(body: Json) -> tuple[int, int]:
    width, height = (_pixels(body.get(name)) for name in ("width", "height"))
    return (width, height) if width and height else (0, 0)


def _pixels(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value < 10_000_000 else 0
