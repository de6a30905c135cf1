"""The four photographs that agents send: JPEGs of 9 to 11 MB with a camera's EXIF."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyvips

from loadtest.corpora.photographs import DRAGONFLY, ELEPHANTS, KLEIBER, SEEDING
from vitrine.local.debian_files import DebianFile, fetch

MIN_BYTES, MAX_BYTES = 9_000_000, 11_000_000
"""Baresoil's photographs: "between 9 and 11 Megabytes"."""
PHOTOGRAPHS = (ELEPHANTS, KLEIBER, SEEDING, DRAGONFLY)
_QUALITIES = range(90, 101)
_ENLARGED, _ENLARGED_AT_MOST = 1.1, 3.0
_EXIF = {
    "exif-ifd0-Make": "Vitrine",
    "exif-ifd0-Model": "Bench photos",
    "exif-ifd0-DateTime": "2026:11:21 12:00:00",
    "exif-ifd2-DateTimeOriginal": "2026:11:21 12:00:00",
    "exif-ifd2-ExposureTime": "1/125",
    "exif-ifd2-FNumber": "56/10",
    "exif-ifd2-ISOSpeedRatings": "200",
    "exif-ifd2-FocalLength": "50/1",
}
"""Metadata that a camera writes, by libvips' names."""


@dataclass(frozen=True, kw_only=True)
class SamplePhotograph:
    """One of the files that are sent, and how it was made."""

    name: str
    path: str
    sha256: str
    bytes: int
    width: int
    height: int
    quality: int
    enlargement: float
    photograph: str
    """Name, package and SHA-256 of what it was made from."""

    def as_json(self) -> dict[str, Any]:
        """Return the entry of `run.json`, without the path."""
        return {name: value for name, value in asdict(self).items() if name != "path"}


def make_samples(
    folder: Path,
    say: Callable[[str], None],
    bounds: tuple[int, int] = (MIN_BYTES, MAX_BYTES),
) -> list[SamplePhotograph]:
    """Make those that are not in `folder` yet. Raises RuntimeError without the photographs."""
    folder.mkdir(parents=True, exist_ok=True)
    return [_make_sample(photograph, folder, bounds, say) for photograph in PHOTOGRAPHS]


def _describe_origin(photograph: DebianFile) -> str:
    return f"Debian's {photograph.package}, SHA-256 {photograph.sha256}"


def _make_sample(
    photograph: DebianFile, folder: Path, bounds: tuple[int, int], say: Callable[[str], None]
) -> SamplePhotograph:
    note = folder / f"{photograph.name}.{bounds[0]}-{bounds[1]}.json"
    if note.exists():
        values = json.loads(note.read_text())
        if (folder / photograph.name).exists():
            return SamplePhotograph(path=str(folder / photograph.name), **values)
    say(f"making {photograph.name}")
    source = pyvips.Image.new_from_file(str(fetch(photograph))).copy_memory()
    data, quality, enlargement, size = _encode_sample(source, bounds)
    path = folder / photograph.name
    path.write_bytes(data)
    sample = SamplePhotograph(
        name=photograph.name,
        path=str(path),
        sha256=hashlib.sha256(data).hexdigest(),
        bytes=len(data),
        width=size[0],
        height=size[1],
        quality=quality,
        enlargement=enlargement,
        photograph=_describe_origin(photograph),
    )
    note.write_text(json.dumps(sample.as_json()))
    return sample


def _encode_sample(
    source: Any, bounds: tuple[int, int]
) -> tuple[bytes, int, float, tuple[int, int]]:
    """Bytes, quality, enlargement, and width and height: the least enlargement, then the best
    quality, with which the size is within the bounds. Raises RuntimeError where none is."""
    enlargement = min(1.0, (bounds[1] / MIN_BYTES) ** 0.5)
    while enlargement <= _ENLARGED_AT_MOST:
        image = source if enlargement == 1 else source.resize(enlargement, kernel="lanczos3")
        image = _with_exif(image.copy_memory())
        found = _quality_within(image, bounds)
        if found:
            return *found, round(enlargement, 3), (image.width, image.height)
        enlargement *= _ENLARGED
    raise RuntimeError(f"no JPEG of {bounds[0]} to {bounds[1]} bytes comes of this photograph")


def _quality_within(image: Any, bounds: tuple[int, int]) -> tuple[bytes, int] | None:
    """Sizes grow with quality: halve the range until one is within."""
    low, high = 0, len(_QUALITIES) - 1
    while low <= high:
        middle = (low + high) // 2
        data: bytes = image.jpegsave_buffer(Q=_QUALITIES[middle], subsample_mode="off")
        if len(data) < bounds[0]:
            low = middle + 1
        elif len(data) > bounds[1]:
            high = middle - 1
        else:
            return data, _QUALITIES[middle]
    return None


def _with_exif(image: Any) -> Any:
    image = image.copy()
    for name in image.get_fields():
        if name.startswith(("exif-", "iptc-", "xmp-")):
            image.remove(name)
    for name, value in _EXIF.items():
        image.set_type(pyvips.GValue.gstr_type, name, value)
    return image
