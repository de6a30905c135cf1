"""One process of iipsrv, ours or Debian's, behind a socket and without a supervisor."""

import io
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tifffile
from PIL import Image

from tests.integration.deliver.render.iipsrv_rig import REPOSITORY
from tests.integration.ingest.fastcgi import ask

OURS = REPOSITORY / ".build/iipsrv/iipsrv.fcgi"
UNPATCHED = Path("/usr/lib/iipimage-server/iipsrv.fcgi")
TILE = 64
SAMPLINGS = {"444": (1, 1), "422": (2, 1), "420": (2, 2)}


@dataclass
class Server:
    """A running process and the folder of its files."""

    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    @property
    def socket(self) -> Path:
        return self.folder / "socket"

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    def body(self, query: str) -> bytes:
        return ask(self.socket, query)

    def image(self, query: str) -> Image.Image:
        """The JPEG of an answer. Raises OSError for anything else."""
        return Image.open(io.BytesIO(self.body(query)))

    def pixels(self, query: str, mode: str = "RGB") -> Any:
        image = self.image(query)
        image.draft(mode, image.size)
        return np.asarray(image.convert(mode) if image.mode != mode else image)

    def store(self, name: str, *levels: Any) -> None:
        """Write a pyramid of these levels, colours or gray, without loss."""
        with tifffile.TiffWriter(self.folder / name) as writer:
            for level in levels:
                writer.write(level, tile=(TILE, TILE), compression="zlib", metadata=None)

    def store_first_tile(self, name: str, side: int, tile: Any) -> None:
        """Write a square image of one level, gray, that has its first tile only."""
        tiles = (side // len(tile)) ** 2
        with tifffile.TiffWriter(self.folder / name) as writer:
            writer.write(
                iter([tile] + [None] * (tiles - 1)),
                shape=(side, side),
                dtype="u1",
                tile=tile.shape,
                compression="zlib",
                photometric="minisblack",
                metadata=None,
            )

    def store_jpeg(self, name: str, pixels: Any, sampling: str = "444") -> list[bytes]:
        """Write an image of JPEG tiles of these YCbCr or gray `pixels`, and return the tiles."""
        gray = pixels.ndim == 2
        tiles = [_encode_tile(tile, sampling) for tile in _cut_tiles(pixels)]
        colours: dict[str, Any] = {"photometric": "minisblack"}
        if not gray:
            colours = {"photometric": "ycbcr", "subsampling": SAMPLINGS[sampling]}
        with tifffile.TiffWriter(self.folder / name) as writer:
            writer.write(
                iter(tiles),
                shape=pixels.shape,
                dtype="u1",
                tile=(TILE, TILE),
                compression=7,
                metadata=None,
                **colours,
            )
        return tiles


def _cut_tiles(pixels: Any) -> Iterator[Any]:
    height, width = pixels.shape[:2]
    borders = ((0, -height % TILE), (0, -width % TILE), (0, 0))[: pixels.ndim]
    padded = np.pad(pixels, borders, "edge")
    for y in range(0, height, TILE):
        for x in range(0, width, TILE):
            yield padded[y : y + TILE, x : x + TILE]


def _encode_tile(tile: Any, sampling: str) -> bytes:
    file = io.BytesIO()
    mode = "L" if tile.ndim == 2 else "YCbCr"
    subsampling = f"{sampling[0]}:{sampling[1]}:{sampling[2]}"
    Image.fromarray(tile, mode).save(file, "JPEG", quality=95, subsampling=subsampling)
    return file.getvalue()


@contextmanager
def bare_iipsrv(program: Path, **settings: str) -> Iterator[Server]:
    """Start a process with the settings of the image task and others."""
    # Paths of Unix sockets are short: a hundred bytes.
    with tempfile.TemporaryDirectory(prefix="vitrine-") as name:
        folder = Path(name)
        environment = {
            "FILESYSTEM_PREFIX": f"{folder}/",
            "LOGFILE": str(folder / "log"),
            "JPEG_QUALITY": "90",
            "INTERPOLATION": "4",
            "MAX_CVT": "1000000",
            "MAX_IMAGE_CACHE_SIZE": "0",
        }
        process = subprocess.Popen(
            ["spawn-fcgi", "-n", "-s", folder / "socket", "--", program],
            env=os.environ | environment | settings,
            stderr=subprocess.DEVNULL,
        )
        try:
            deadline = time.monotonic() + 10
            while not (folder / "socket").exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            yield Server(folder, process)
        finally:
            process.kill()
            process.wait()
