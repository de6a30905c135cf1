"""The access masters that every server of a run serves, and the pictures they were made from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from loadtest.corpora.mirrored_masters import mirrored_photograph
from rigs.access_master import read_live, write_standard

Progress = Callable[[str], None]


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


# 100 megapixels are a Phase One IQ3's, of two levels and more with a remainder that no tile
# or coding unit fits; 24 are a common camera's.
_MADE: Mapping[str, tuple[int, int]] = {
    "photo-24.tif": (6000, 4000),
    "photo-100.tif": (11_608, 8_708),
}
DESCRIPTIONS: Mapping[str, str] = {
    "photo-24.tif": "24 megapixels, our recipe",
    "photo-100.tif": "101 megapixels, our recipe",
}
"""Descriptions of the access masters, for reports."""


def make_master(folder: Path, name: str, progress: Progress) -> Master:
    """Write one of `DESCRIPTIONS` into `folder`, unless it is there already."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / name).exists():
        width, height = _MADE[name]
        progress(f"making {name}: {DESCRIPTIONS[name]}")
        part = folder / f"{name}.part"
        write_standard(mirrored_photograph(width, height), part)
        part.rename(folder / name)
    return open_master(folder / name)


def open_master(path: Path) -> Master:
    """Read the levels of a pyramid. Raises MalformedTiff."""
    return Master(path=path, levels=read_live(path).levels)
