"""Masters made for a measurement, with every step stated."""

from dataclasses import dataclass
from pathlib import Path

import pyvips

from loadtest.corpora.photographs import ADOBE_RGB
from vitrine.local.debian_files import DebianFile, fetch


@dataclass(frozen=True, kw_only=True)
class MadeMaster:
    """A master and where it comes from; `enlargement` 1.0 means the photograph's own pixels."""

    path: Path
    photograph: DebianFile
    width: int
    height: int
    enlargement: float

    def provenance(self) -> str:
        """Return a sentence for reports."""
        enlarged = "" if self.enlargement == 1 else f", enlarged {self.enlargement:g}x (Lanczos 3)"
        return (
            f"{self.photograph.name} of Debian's {self.photograph.package} "
            f"(SHA-256 {self.photograph.sha256}){enlarged}"
        )


def adobe_rgb_16_bit(photograph: DebianFile, path: Path, enlargement: float) -> MadeMaster:
    """Write the photograph as an uncompressed 16-bit AdobeRGB (1998) TIFF to `path`."""
    source = pyvips.Image.new_from_file(str(fetch(photograph)))
    image = (
        source.colourspace("rgb16")
        .resize(enlargement, kernel="lanczos3")
        .icc_transform(str(fetch(ADOBE_RGB)), input_profile="srgb", intent="relative", depth=16)
    )
    image.tiffsave(str(path))
    return MadeMaster(
        path=path,
        photograph=photograph,
        width=image.width,
        height=image.height,
        enlargement=enlargement,
    )
