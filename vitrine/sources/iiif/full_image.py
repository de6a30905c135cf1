"""The largest picture of an image that its server gives, written to a file."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from vitrine.sources.harvest.guarded_http import NotHarvested, Refused
from vitrine.sources.harvest.kept_folder import file_name
from vitrine.sources.iiif.painted_images import ForeignImage
from vitrine.sources.iiif.properties import Json, as_list, as_objects, as_text
from vitrine.sources.mapping.masters_folder import IMAGES
from vitrine.text.foreign_json import decode_json

_SIGNATURES = (
    *(b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"BM", b"8BPS", b"RIFF", b"\0\0\0\x0cjP  "),
    *(b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"),
)
JPEG = ".jpg"


class ImageHttp(Protocol):
    """Asks servers of others; `GuardedHttp` does."""

    def get(self, address: str) -> bytes: ...

    def download(self, address: str, path: Path) -> None: ...


@dataclass(frozen=True)
class OfferedPicture:
    """A picture that a service may have."""

    address: str
    width: int
    height: int


def image_file_name(identifier: str, image: ForeignImage) -> str:
    """Return the name of an image's file: its identifier, and what kind of file it is."""
    suffix = Path(urlsplit(image.address).path).suffix.lower() if not image.version else JPEG
    return file_name(identifier, suffix if suffix in IMAGES else JPEG)


def fetch_image(image: ForeignImage, http: ImageHttp, path: Path) -> str:
    """Write the largest picture that the server grants to `path`.

    Returns a sentence if that is less than the server has, else "". Raises NotHarvested, OSError.
    """
    if not image.version:
        http.download(image.address, path)
        _check(path, image.address)
        return ""
    information = _information(image.address, http)
    refused: list[str] = []
    for offer in offers(image.address, information):
        try:
            http.download(offer.address, path)
        except Refused as error:
            refused.append(str(error))
            continue
        _check(path, offer.address)
        width, height = _size(information)
        if offer.width * offer.height < width * height:
            return (
                f"the image of {image.address} is {width} x {height}, but its server gives no more "
                f"than {offer.width} x {offer.height}"
            )
        return ""
    raise NotHarvested(refused[0] if refused else f"{image.address} offers no whole image")


def offers(service: str, information: Json) -> Iterator[OfferedPicture]:
    """Yield the pictures of the whole image, the largest first (Image API 1.1 to 3.0).

    Of a service that only has files (level 0), those of its sizes too. Raises NotHarvested.
    """
    width, height = _size(information)
    if not width or not height:
        raise NotHarvested(f"{service}/info.json does not say how large the image is")
    version = _version(information)
    quality = "native" if version == 1 else "default"
    granted = _granted(information, width, height)
    whole = {1: "full", 2: "full", 3: "max"}[version]
    if granted != (width, height):
        whole = {1: f"{granted[0]},", 2: f"{granted[0]},", 3: f"{granted[0]},{granted[1]}"}[version]
    yield OfferedPicture(f"{service}/full/{whole}/0/{quality}.jpg", *granted)
    if not _is_static(information):
        return
    sizes = [_size(one) for one in as_objects(information.get("sizes"))]
    for wide, high in sorted((size for size in sizes if all(size)), reverse=True):
        name = f"{wide},{high}" if version == 3 else f"{wide},"
        yield OfferedPicture(f"{service}/full/{name}/0/{quality}.jpg", wide, high)


def _granted(information: Json, width: int, height: int) -> tuple[int, int]:
    """Return the size that the limits of a service leave (3.0, 5.3; 2.1, 5.3)."""
    limits = [information, *as_objects(information.get("profile"))]
    wide = min((_pixels(one.get("maxWidth")) for one in limits if one.get("maxWidth")), default=0)
    high = min((_pixels(one.get("maxHeight")) for one in limits if one.get("maxHeight")), default=0)
    area = min((_pixels(one.get("maxArea")) for one in limits if one.get("maxArea")), default=0)
    scale = 1.0
    if wide:
        scale = min(scale, wide / width, (high or wide) / height)
    if area:
        scale = min(scale, (area / (width * height)) ** 0.5)
    return (
        (width, height) if scale == 1 else (max(1, int(width * scale)), max(1, int(height * scale)))
    )


def _information(service: str, http: ImageHttp) -> Json:
    address = f"{service}/info.json"
    try:
        found = decode_json(http.get(address))
    except ValueError:
        raise NotHarvested(f"{address} is not JSON") from None
    if not isinstance(found, dict):
        raise NotHarvested(f"{address} is no information about an image")
    return found


def _version(information: Json) -> int:
    contexts = " ".join(as_text(one) for one in as_list(information.get("@context")))
    if "image/3" in contexts or information.get("type") == "ImageService3":
        return 3
    return 1 if "image/1" in contexts or "image-api/1" in contexts else 2


def _is_static(information: Json) -> bool:
    return any("level0" in as_text(one) for one in as_list(information.get("profile")))


def _size(described: Json) -> tuple[int, int]:
    return _pixels(described.get("width")), _pixels(described.get("height"))


def _pixels(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value < 1 << 40 else 0


def _check(path: Path, address: str) -> None:
    """Raise NotHarvested, and remove the file, if it is no image."""
    with path.open("rb") as file:
        head = file.read(16)
    if not head.startswith(_SIGNATURES) and head[4:8] != b"ftyp":
        path.unlink()
        raise NotHarvested(f"{address} answers something that is no image")
