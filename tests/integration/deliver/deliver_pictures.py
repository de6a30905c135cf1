"""Masters made for tests: pixels that say where they are, so a wrong region cannot look right."""

from pathlib import Path
from typing import Any

import numpy as np
import pyvips
from numpy.typing import NDArray

from tests.rigs.records import live
from vitrine.records import record_as_json

Pixels = NDArray[np.uint8]
PICTURES = {
    "plain": (1300, 1000),
    "odd": (1043, 787),
    "tall": (513, 2049),
    "a/b%2Fc é": (300, 200),
    "cold": (900, 700),
}
"""Width and height of the stored images by identifier."""


def coordinates_picture(width: int, height: int) -> pyvips.Image:
    """Red grows to the right, green downwards, blue both ways."""
    xyz = pyvips.Image.xyz(width, height)
    red, green = xyz[0] * 255 / width, xyz[1] * 255 / height
    blue = 255 - (red + green) / 2
    return red.bandjoin([green, blue]).cast("uchar").copy(interpretation="srgb")


def write_pyramid(picture: pyvips.Image, path: Path) -> list[tuple[int, int]]:
    """A plain libvips PTIFF; the sizes of its levels from full resolution down."""
    picture.tiffsave(
        str(path),
        tile=True,
        tile_width=256,
        tile_height=256,
        pyramid=True,
        compression="jpeg",
        Q=90,
    )
    pages = pyvips.Image.new_from_file(str(path)).get("n-pages")
    levels = [pyvips.Image.new_from_file(str(path), page=page) for page in range(pages)]
    return [(level.width, level.height) for level in levels]


def live_record(
    identifier: str, key: str, path: Path, levels: list[tuple[int, int]], tile: int = 256
) -> dict[str, Any]:
    return record_as_json(
        live(
            identifier,
            access_master_key=key,
            access_master_bytes=path.stat().st_size,
            tile_width=tile,
            tile_height=tile,
            levels=tuple(levels),
            published_at="2026-01-01T00:00:00Z",
        )
    )


def decode(body: bytes) -> Pixels:
    image = pyvips.Image.new_from_buffer(body, "")
    pixels: Pixels = image.numpy()
    return pixels
