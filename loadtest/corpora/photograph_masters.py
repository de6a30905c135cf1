"""Access masters of photographs of 12 to 404 megapixels, and the pictures they were made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyvips

from loadtest.corpora.access_masters import Master, Progress, open_master
from loadtest.corpora.mirrored_masters import mirrored_photograph
from loadtest.corpora.photographs import DRAGONFLY, ELEPHANTS, KLEIBER, SEEDING, SUNSET
from loadtest.errors import InvalidScenario
from rigs.access_master import write_standard
from vitrine.local.debian_files import DebianFile, fetch


@dataclass(frozen=True, kw_only=True)
class PhotographRecipe:
    """A picture to be made from one photograph; its own pixels unless it says otherwise."""

    photograph: DebianFile
    enlargement: float = 1.0
    mirrored: tuple[int, int] | None = None
    """Width and height, pixels, that copies of it fill, each mirrored to its neighbour."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, pixels."""
        source = self.photograph
        width, height = (round(self.enlargement * side) for side in (source.width, source.height))
        return self.mirrored or (width, height)

    def provenance(self) -> str:
        """Return a phrase for reports: its source with its hash, and what was done to it."""
        name = f"{self.photograph.name} of Debian's {self.photograph.package}"
        return f"{name} (SHA-256 {self.photograph.sha256}), {self._describe_change()}"

    def _describe_change(self) -> str:
        if self.mirrored:
            return f"mirrored to {self.mirrored[0]} x {self.mirrored[1]} pixels, not enlarged"
        if self.enlargement != 1:
            return f"ENLARGED {self.enlargement:g} times (Lanczos 3), so smoother than a photograph"
        return "its own pixels"

    def picture(self, file: Path) -> Any:
        """Return it as a libvips image; what has to be enlarged is written to `file` first."""
        if self.mirrored:
            return mirrored_photograph(*self.mirrored)
        source = str(fetch(self.photograph))
        if self.enlargement == 1:
            return pyvips.Image.new_from_file(source).copy_memory()
        if not file.exists():
            part = file.with_suffix(".part.v")
            pyvips.Image.new_from_file(source).resize(
                self.enlargement, kernel="lanczos3"
            ).write_to_file(str(part))
            part.rename(file)
        return pyvips.Image.new_from_file(str(file))


PHOTOGRAPHS: Mapping[str, PhotographRecipe] = {
    "sunset-12": PhotographRecipe(photograph=SUNSET),
    "seeding-16": PhotographRecipe(photograph=SEEDING),
    "kleiber-20": PhotographRecipe(photograph=KLEIBER),
    "elephants-101": PhotographRecipe(photograph=ELEPHANTS, mirrored=(11_608, 8_708)),
    "dragonfly-102": PhotographRecipe(photograph=DRAGONFLY, enlargement=2.76),
    "seeding-400": PhotographRecipe(photograph=SEEDING, enlargement=5.02),
    "elephants-404": PhotographRecipe(photograph=ELEPHANTS, mirrored=(23_216, 17_416)),
}
"""Photographs by the names of their files; the number is their size in megapixels."""


@dataclass(frozen=True, kw_only=True)
class PhotographMaster:
    """An access master and the picture it was made from."""

    name: str
    master: Master
    picture: Any
    """A libvips image, never encoded."""


def make_masters(folder: Path, names: Sequence[str], progress: Progress) -> list[PhotographMaster]:
    """Write those of these names that are missing, by our recipe, into `folder`.

    Pictures that were enlarged lie next to it. Raises InvalidScenario for a name that is not
    known, and RuntimeError without the photograph.
    """
    for name in names:
        if name not in PHOTOGRAPHS:
            raise InvalidScenario(
                f"there is no photograph {name!r}; choose from {', '.join(PHOTOGRAPHS)}"
            )
    folder.mkdir(parents=True, exist_ok=True)
    return [_make_master(name, folder, progress) for name in names]


def _make_master(name: str, folder: Path, progress: Progress) -> PhotographMaster:
    path = folder / f"{name}.tif"
    if not path.exists():
        progress(f"making {path.name}: {PHOTOGRAPHS[name].provenance()}")
    picture = PHOTOGRAPHS[name].picture(folder.parent / f"{folder.name}-{name}.v")
    if not path.exists():
        part = path.with_suffix(".part")
        write_standard(picture, part)
        part.rename(path)
    return PhotographMaster(name=name, master=open_master(path), picture=picture)
