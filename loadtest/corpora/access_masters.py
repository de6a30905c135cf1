"""The access masters that every server of a run serves, and the pictures they were made from."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyvips

from loadtest.corpora.mirrored_masters import mirrored_photograph
from vitrine.ingest.convert.access_master import read_structure, to_file, write_access_master
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.inspect.vips import prepare_libvips
from vitrine.ingest.recipe import STANDARD

Progress = Callable[[str], None]
Write = Callable[[Any, Path], None]


@dataclass(frozen=True, kw_only=True)
class Master:
    """An access master; its file's name is its identifier, for iipsrv takes file names."""

    path: Path
    levels: tuple[tuple[int, int], ...]
    """Width and height from full resolution down, pixels."""

    @property
    def name(self) -> str:
        """The identifier."""
        return self.path.name

    @property
    def width(self) -> int:
        """Full resolution, pixels."""
        return self.levels[0][0]

    @property
    def height(self) -> int:
        """Full resolution, pixels."""
        return self.levels[0][1]


def write_standard(image: Any, path: Path) -> None:
    """Write an access master as our own ingest does: YCbCr 4:4:4 quality 90, directories first."""
    prepare_libvips()
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        output = to_file(path)
        write_access_master(image, Metadata(), STANDARD, output, Path(scratch), lambda rows: None)


def _tiffsave(quality: int) -> Write:
    def write(image: Any, path: Path) -> None:
        image.tiffsave(
            str(path),
            compression="jpeg",
            Q=quality,
            tile=True,
            tile_width=256,
            tile_height=256,
            pyramid=True,
        )

    return write


# 100 megapixels are a Phase One IQ3's, of two levels and more with a remainder that no tile
# or coding unit fits; 400 are four of its frames; 24 are a common camera's.
_MADE: Mapping[str, tuple[int, int, Write]] = {
    "photo-24.tif": (6000, 4000, write_standard),
    "photo-100.tif": (11_608, 8_708, write_standard),
    "photo-400.tif": (23_216, 17_416, write_standard),
    "libvips-rgb.tif": (11_608, 8_708, _tiffsave(90)),
    "libvips-420.tif": (11_608, 8_708, _tiffsave(85)),
}
DESCRIPTIONS: Mapping[str, str] = {
    "photo-24.tif": "24 megapixels, our recipe",
    "photo-100.tif": "101 megapixels, our recipe (YCbCr 4:4:4 quality 90)",
    "photo-400.tif": "404 megapixels, our recipe",
    "libvips-rgb.tif": "101 megapixels, plain libvips, quality 90 (RGB)",
    "libvips-420.tif": "101 megapixels, plain libvips, quality 85 (YCbCr 4:2:0)",
}
"""Descriptions of the access masters, for reports."""


def make_masters(folder: Path, progress: Progress) -> dict[str, Master]:
    """Write those that are not there yet into `folder`; all by name."""
    return {name: make_master(folder, name, progress) for name in _MADE}


def make_master(folder: Path, name: str, progress: Progress) -> Master:
    """Write one of `DESCRIPTIONS` into `folder`, unless it is there already."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / name).exists():
        width, height, write = _MADE[name]
        progress(f"making {name}: {DESCRIPTIONS[name]}")
        part = folder / f"{name}.part"
        write(picture(width, height), part)
        part.rename(folder / name)
    return open_master(folder / name)


def picture(width: int, height: int) -> Any:
    """Return the picture before it was encoded, as a libvips image."""
    return mirrored_photograph(width, height)


def open_master(path: Path) -> Master:
    """Read the levels of a pyramid. Raises MalformedTiff."""
    with path.open("rb") as file:

        def read(offset: int, length: int) -> bytes:
            file.seek(offset)
            return file.read(length)

        structure = read_structure(read, path.stat().st_size)
    return Master(path=path, levels=structure.levels)


def libvips_levels(path: Path) -> list[Any]:
    """Decoded levels as libvips images, full resolution first."""
    pages = pyvips.Image.new_from_file(str(path)).get("n-pages")
    return [pyvips.Image.new_from_file(str(path), page=page) for page in range(pages)]
