"""The image of a page as Tesseract takes it: grey, at some 300 dots per inch, of bounded size."""

from dataclasses import dataclass
from pathlib import Path

import pyvips

from vitrine.errors import TextRefused
from vitrine.ports import ObjectStore
from vitrine.records import Live

ENOUGH_DOTS = 300
"""Per inch; Tesseract's own advice ("Improving the quality of the output")."""
MAX_BYTES = 1 << 30
"""Bytes of an access master, which is fetched whole: some 2 gigapixels."""
_INCH_MM = 25.4


@dataclass(frozen=True)
class PageImage:
    """A file, and how many of its pixels are an inch of the page; 0: nobody knows."""

    path: Path
    dots_per_inch: int = 0


def write_page(
    access_masters: ObjectStore, image: Live, folder: Path, *, most_pixels: int, width_mm: float = 0
) -> PageImage:
    """Write one level of an image to a folder.

    Raises TextRefused for an image that is too large, ObjectMissing and TransientError.
    """
    if image.access_master_bytes > MAX_BYTES:
        size = f"{image.access_master_bytes / (1 << 30):.1f}"
        sentence = f"its access master has {size} GiB, and 1 GiB is the most that is fetched"
        raise TextRefused("ocr-size", sentence)
    level, dots = choose_level(image.levels, most_pixels, width_mm)
    pyramid, path = folder / "pyramid.tif", folder / "page.png"
    access_masters.download(image.access_master_key, pyramid)
    try:
        opened = pyvips.Image.new_from_file(str(pyramid), page=level, access="sequential")
        # What the file has, whatever the record says: Tesseract's memory depends on it.
        if opened.width * opened.height > most_pixels:
            size = f"{opened.width:,} x {opened.height:,} pixels"
            raise TextRefused("ocr-size", f"its level {level} has {size}: {most_pixels:,} at most")
        opened.colourspace("b-w").pngsave(str(path), compression=1)
    except pyvips.Error as error:
        said = str(error).replace(f"{folder}/", "")
        raise TextRefused("ocr-image", f"it cannot be decoded: {said}") from error
    finally:
        pyramid.unlink(missing_ok=True)
    return PageImage(path, dots)


def choose_level(
    levels: tuple[tuple[int, int], ...], most_pixels: int, width_mm: float
) -> tuple[int, int]:
    """Return the number of a level, and its dots per inch if the page was measured, else 0.

    It is the largest that is not too large; of a measured page the smallest with enough dots.
    """
    fitting = [
        (number, size)
        for number, size in enumerate(levels)
        if size[0] * size[1] <= most_pixels or number == len(levels) - 1
    ]
    if width_mm:
        dots = {number: round(width * _INCH_MM / width_mm) for number, (width, _) in fitting}
        enough = [number for number, count in dots.items() if count >= ENOUGH_DOTS]
        chosen = enough[-1] if enough else fitting[0][0]
        return chosen, dots[chosen]
    return fitting[0][0], 0
