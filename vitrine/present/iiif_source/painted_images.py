"""The image that a canvas shows, and the service or the file that it comes from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from vitrine.iiif.presentation.model import ImageElsewhere
from vitrine.present.iiif_source.properties import Json, as_list, as_objects, as_text, identifier_of

ServiceVersion = Literal[0, 1, 2, 3]
_PLAYED = {"Sound": "sound", "Audio": "sound", "Video": "video", "Model": "a 3D model"}
_PLAYED |= {"Text": "text", "TextualBody": "text"}
_PICTURES = ("Image", "StillImage")
_ANNOTATIONS = 1_000
"""Of one canvas that are looked at."""


@dataclass(frozen=True)
class ForeignImage:
    """An image of another server."""

    address: str
    """Of its image service, without a slash at the end, or of its file."""
    version: ServiceVersion
    """Of the service's Image API; 0 if there is only a file."""
    width: int = 0
    height: int = 0
    """As the manifest says, 0 if it does not."""
    picture: str = ""
    """Address of a picture of it."""
    profile: str = ""
    """What its service can do."""

    def reference(self, canvas: Json) -> ImageElsewhere:
        """Return how a canvas of ours shows it where it is; `canvas` is that of the manifest."""
        width, height = (self.width, self.height) if self.width else _size(canvas)
        return ImageElsewhere(
            address=self.picture,
            width=width,
            height=height,
            service=self.address if self.version else "",
            version=self.version,
            profile=self.profile,
        )


@dataclass(frozen=True)
class Painted:
    """What a canvas shows: an image, and sentences on what it is shown without."""

    image: ForeignImage | None
    sentences: tuple[str, ...] = ()


def find_image(canvas: Json) -> Painted:
    """Return the first image that is painted on a canvas; others are named."""
    bodies = list(_bodies(canvas))
    images, sentences = [], []
    for body, target in bodies:
        found, said = _image(body)
        sentences += said
        if found:
            images.append(found)
            if "#" in target:
                sentences.append("its image covers a part of it, and is shown as the whole page")
            if not target:
                sentences.append("its image does not say that it belongs to it")
            sentences += _faults(body)
    if len(images) > 1:
        sentences.append(f"it is put together of {len(images)} images: only the first is shown")
    if not images and not sentences:
        sentences.append("it has no image")
    return Painted(images[0] if images else None, tuple(dict.fromkeys(sentences)))


def _faults(body: Json) -> Iterator[str]:
    """Yield what is wrong with an image that can be shown all the same."""
    if not body.get("type"):
        yield "its image does not say that it is one"
    if any(body.get(name) is not None and not _pixels(body[name]) for name in ("width", "height")):
        yield "its image has a size that is no number of pixels"


def _bodies(canvas: Json) -> Iterator[tuple[Json, str]]:
    """Yield what is painted, and where."""
    pages = as_objects(canvas.get("items") or canvas.get("content"))
    annotations = [one for page in pages for one in as_objects(page.get("items"))]
    for annotation in annotations[:_ANNOTATIONS]:
        if "painting" not in as_list(annotation.get("motivation")):
            continue
        target = next(map(identifier_of, as_list(annotation.get("target"))), "")
        body = annotation.get("body")
        for one in as_list(body):
            yield (one if isinstance(one, dict) else {"id": as_text(one), "type": "Image"}), target


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
        if body.get("selector"):
            sentences.append("it shows a part of its image, or turns it: the whole image is shown")
        found, more = _image(source)
        return found, sentences + more
    if kind not in _PICTURES and kind:
        what = _PLAYED.get(kind, f"a body of the type {kind[:40]}")
        return None, [f"it has {what}, which this service does not show"]
    found = _from_service(body) or _from_file(body)
    return found, [] if found else ["its image has no address"]


def _from_service(body: Json) -> ForeignImage | None:
    services = [
        (version, address, _profile(one))
        for one in as_objects(body.get("service"))
        if (version := service_version(one)) and _is_web(address := identifier_of(one))
    ]
    if not services:
        return None
    version, address, profile = max(services, key=lambda one: one[0])
    service = address.rstrip("/")
    whole = {1: "full/full/0/native", 2: "full/full/0/default", 3: "full/max/0/default"}[version]
    picture = identifier_of(body) if _is_web(identifier_of(body)) else f"{service}/{whole}.jpg"
    return ForeignImage(service, version, *_size(body), picture, profile)


def _from_file(body: Json) -> ForeignImage | None:
    address = identifier_of(body)
    return ForeignImage(address, 0, *_size(body), address) if _is_web(address) else None


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


def _is_web(address: str) -> bool:
    return address.startswith(("http://", "https://"))
