"""The images of the drill: a few that visitors know, some new to them, many that nobody opened.

All are links to two access masters, so that thousands take no disk; to a server each is an image
of its own, with a file and blocks of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from loadtest.corpora.access_masters import Master, make_master
from loadtest.workload.catalogue import Catalogue, Image

PICTURES = ("photo-24.tif", "photo-100.tif")
VISITED = 20
FRESH = 600
"""Images that a visitor is the first to open."""
COLD = 2_000
"""Images that only the swarm asks for, far more than the block cache holds."""
FRESH_VISITS = 0.2
"""Part of the visits that open an image which nobody opened before."""
Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class SwarmImages:
    """The images by who looks at them."""

    folder: Path
    known: Catalogue
    """Images that have been looked at often."""
    visited: Catalogue
    """Images that visitors look at: known ones, and with `FRESH_VISITS` of the weight fresh ones.
    """
    cold: Catalogue


def make_folder(scratch: Path, progress: Progress) -> Path:
    """Make the masters and the links to them; return the folder that servers get."""
    masters = _make_masters(scratch, progress)
    folder = scratch.resolve() / "swarm"
    folder.mkdir(parents=True, exist_ok=True)
    for name, master in _name_masters(masters):
        link = folder / name
        if not link.is_symlink():
            link.symlink_to(master.path)
    return folder


def name_images(scratch: Path) -> SwarmImages:
    """Return the images of `make_folder`; an identifier is the name of a file."""
    masters = _make_masters(scratch, lambda line: None)
    known: list[Image] = []
    fresh: list[Image] = []
    cold: list[Image] = []
    kinds = {
        "known": (known, (1 - FRESH_VISITS) / VISITED),
        "fresh": (fresh, FRESH_VISITS / FRESH),
        "cold": (cold, 1.0),
    }
    for name, master in _name_masters(masters):
        kind, weight = kinds[name.partition("-")[0]]
        kind.append(_make_image(name, master, weight))
    return SwarmImages(
        folder=scratch.resolve() / "swarm",
        known=Catalogue(known),
        visited=Catalogue([*known, *fresh]),
        cold=Catalogue(cold),
    )


def is_fresh(image: Image | None) -> bool:
    """Return True if a visitor is the first to open it."""
    return image is not None and image.identifier.startswith("fresh")


def _name_masters(masters: list[Master]) -> list[tuple[str, Master]]:
    small, _ = masters
    names = [(f"known-{number:04}.tif", small) for number in range(VISITED)]
    names += [(f"fresh-{number:04}.tif", small) for number in range(FRESH)]
    names += [(f"cold-{number:04}.tif", masters[number % 2]) for number in range(COLD)]
    return names


def _make_image(name: str, master: Master, weight: float) -> Image:
    return Image(
        name,
        master.width,
        master.height,
        weight,
        base=f"/iiif/3/{quote(name)}",
        version=3,
        levels=master.levels,
    )


def _make_masters(scratch: Path, progress: Progress) -> list[Master]:
    folder = scratch.resolve() / "swarm-masters"
    return [make_master(folder, name, progress) for name in PICTURES]
