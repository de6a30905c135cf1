"""Masters of a wanted size from one photograph: mirrored, never enlarged, so the grain stays."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyvips

from loadtest.corpora.photographs import ELEPHANTS
from vitrine.local.debian_files import fetch

SIZES: dict[int, tuple[int, int]] = {
    1: (1224, 819),
    10: (3872, 2592),
    100: (12_000, 8_334),
    400: (24_000, 16_667),
    1000: (36_000, 28_000),
}
"""Width and height by megapixels."""


@dataclass(frozen=True, kw_only=True)
class EncodeMaster:
    """An uncompressed 8-bit sRGB TIFF in strips."""

    path: Path
    width: int
    height: int

    @property
    def megapixels(self) -> float:
        """Millions of pixels."""
        return self.width * self.height / 1e6

    def provenance(self) -> str:
        """Return a sentence for reports."""
        return (
            f"{ELEPHANTS.name} of Debian's {ELEPHANTS.package} (SHA-256 {ELEPHANTS.sha256}), "
            f"mirrored and cut to {self.width} x {self.height}"
        )


def make_master(megapixels: int, folder: Path) -> EncodeMaster:
    """Write the master unless it is there. Raises KeyError for a size not in SIZES."""
    width, height = SIZES[megapixels]
    path = folder / f"encode-{megapixels}.tif"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.tif")
        mirrored_photograph(width, height).tiffsave(str(part), bigtiff=True, keep="none")
        part.rename(path)
    return EncodeMaster(path=path, width=width, height=height)


def mirrored_photograph(width: int, height: int) -> Any:
    """Return a picture of this size: the photograph mirrored side by side as needed, then cut."""
    photograph = pyvips.Image.new_from_file(str(fetch(ELEPHANTS))).copy_memory()
    pair = photograph.join(photograph.fliphor(), "horizontal")
    four = pair.join(pair.flipver(), "vertical")
    wide = four.replicate(-(-width // four.width), -(-height // four.height))
    return wide.crop(0, 0, width, height)
