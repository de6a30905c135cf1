"""The access masters of the comparison: two of each of the report's classes of sources."""

from pathlib import Path

from loadtest.corpora.access_masters import (
    Master,
    Progress,
    open_master,
)
from loadtest.corpora.mirrored_masters import mirrored_photograph
from rigs.access_master import write_standard

SIZES = {
    "source-6.tif": (2_900, 2_100),
    "source-9.tif": (3_720, 2_480),
    "source-24.tif": (6_000, 4_000),
    "source-54.tif": (9_000, 6_000),
    "source-101.tif": (11_608, 8_708),
    "source-151.tif": (14_204, 10_652),
}
"""Width and height in pixels: common cameras' and a Phase One's, most with a remainder of tiles."""


def make_masters(folder: Path, progress: Progress) -> list[Master]:
    """Write those that are not there yet, by our recipe. Raises RuntimeError without a
    photograph to make them from."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (width, height) in SIZES.items():
        if not (folder / name).exists():
            progress(f"making {name}: {width} x {height}")
            part = folder / f"{name}.part"
            write_standard(mirrored_photograph(width, height), part)
            part.rename(folder / name)
    return [open_master(folder / name) for name in SIZES]
