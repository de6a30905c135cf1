"""A folder of real photographs and a spreadsheet, as a museum has them.

The photographs are those of three packages of Debian's with wallpapers. There are fewer of them
than a collection has, so the others are crops, and their row says so.
"""

import csv
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyvips

from vitrine.local.debian_files import FOLDER, extract_package

PACKAGES = ("plasma-workspace-wallpapers", "mate-backgrounds", "ukui-wallpapers")
LEAST_PIXELS = 1_000_000
CROP_SIDES = (900, 1_800)
"""Pixels of a crop's sides, at least and at most."""
COLUMNS = ("Inventory number", "Title", "Made of", "Year", "File", "Alt text", "Licence")
RULES = """
[collection]
identifier = "{identifier}"
label = "Photographs"
[source]
table = "photographs.csv"
masters = "scans"
[object]
identifier = "{{Inventory number}}"
label = "{{Title}}"
image = "{{File}}"
alt_text = "{{Alt text}}"
rights = "{{Licence}}"
[metadata]
"Made of" = "{{Made of}}"
"Year" = "{{Year}}"
"""
COLLECTION = "photographs"
LICENCE = "CC BY-SA 4.0"


@dataclass(frozen=True)
class PhotographFolder:
    """Where the spreadsheet, the rules and the scans are."""

    folder: Path
    numbers: tuple[str, ...]
    """Inventory numbers, in the order of the rows."""
    crops: int
    """How many of the photographs are parts of others."""

    @property
    def rules(self) -> Path:
        """The rules of the collection."""
        return self.folder / "collection.toml"

    @property
    def handed_back(self) -> Path:
        """The spreadsheet with addresses, once it is published."""
        return self.folder / "photographs-published.csv"


def make_folder(folder: Path, count: int, seed: int = 1) -> PhotographFolder:
    """Write so many photographs with their spreadsheet.

    Raises RuntimeError if Debian's packages cannot be fetched.
    """
    scans = folder / "scans"
    scans.mkdir(parents=True)
    originals = _originals()
    rows, made = [], _masters(originals, count, seed)
    for number, (picture, made_of) in enumerate(made, start=1):
        name = f"P-{number:04}"
        picture.jpegsave(str(scans / f"{name}.jpg"), Q=92)
        alt_text = f"A photograph, number {number} of the collection."
        rows.append([name, f"Photograph {number}", made_of, 2020, f"{name}.jpg", alt_text, LICENCE])
    with (folder / "photographs.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    (folder / "collection.toml").write_text(RULES.format(identifier=COLLECTION))
    numbers = tuple(str(row[0]) for row in rows)
    return PhotographFolder(folder, numbers, max(count - len(originals), 0))


def _masters(originals: list[Path], count: int, seed: int) -> Iterator[tuple[pyvips.Image, str]]:
    """Yield each photograph itself, then random parts of them; with what it is made of."""
    for path in originals[:count]:
        yield _open(path), f"{_name(path)}, its own pixels"
    dice = random.Random(seed)
    for number in range(count - len(originals)):
        path = originals[number % len(originals)]
        whole = _open(path)
        width = dice.randint(*(min(side, whole.width) for side in CROP_SIDES))
        height = dice.randint(*(min(side, whole.height) for side in CROP_SIDES))
        left = dice.randint(0, whole.width - width)
        top = dice.randint(0, whole.height - height)
        crop = whole.crop(left, top, width, height)
        yield crop, f"{_name(path)}, cropped to {width} x {height} pixels at {left}, {top}"


def _open(path: Path) -> pyvips.Image:
    image = pyvips.Image.new_from_file(str(path))
    return image.flatten() if image.hasalpha() else image


def _originals() -> list[Path]:
    """Return the photographs of the packages, fetched once: the largest file of each picture."""
    kept = FOLDER / "wallpapers"
    for package in PACKAGES:
        target = kept / package
        if not target.exists():
            kept.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=kept) as scratch:
                extract_package(package, Path(scratch)).rename(target)
    largest: dict[Path, tuple[int, Path]] = {}
    for path in sorted(kept.rglob("*")):
        if path.suffix.lower() not in (".jpg", ".jpeg") or path.is_symlink():
            continue
        image = pyvips.Image.new_from_file(str(path))
        pixels = image.width * image.height
        # Plasma has one folder for each picture, with a file for each size of screen.
        picture = path.parent if path.stem[0].isdigit() and "x" in path.stem else path
        if pixels >= max(LEAST_PIXELS, largest.get(picture, (0, path))[0]):
            largest[picture] = (pixels, path)
    if not largest:
        raise RuntimeError(f"there is no photograph in {kept}")
    return [path for _, path in largest.values()]


def _name(path: Path) -> str:
    """Return where a photograph is, package first."""
    return path.relative_to(FOLDER / "wallpapers").as_posix()
