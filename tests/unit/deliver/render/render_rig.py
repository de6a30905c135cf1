"""Pyramids of several writers, opened over a file in which only the pinned bytes are real."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyvips

from tests.unit.deliver.pyramids.open_rig import record_of
from vitrine.deliver.pyramids.head import read_head
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.pool import PoolSize, RenderPool
from vitrine.iiif.request import ResolvedRequest, parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V3

GARBAGE = 0xA7
POOL = PoolSize(renders=2, waiting=100, memory_bytes=1 << 30)


class WholeFile:
    """A fake of a cached file whose blocks are all on disk."""

    is_in_memory = False

    def __init__(self, data: bytes, path: Path) -> None:
        self.key = path.name
        self.etag = "made"
        self.size = len(data)
        self.path = path
        self.data = data
        self.forgotten: list[tuple[int, int]] = []
        path.write_bytes(data)

    def peek(self, offset: int, length: int) -> bytes | None:
        return self.data[offset : offset + length]

    async def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]

    fetch = read

    @asynccontextmanager
    async def pinned(self, ranges: Sequence[tuple[int, int]]) -> AsyncIterator[Path]:
        yield self.path

    def forget(self, offset: int, length: int) -> None:
        self.forgotten.append((offset, length))


class PoisonedFile(WholeFile):
    """A file of garbage except the bytes pinned at the moment: holes could not be worse."""

    def __init__(self, data: bytes, path: Path) -> None:
        super().__init__(data, path)
        path.write_bytes(bytes([GARBAGE]) * len(data))

    @asynccontextmanager
    async def pinned(self, ranges: Sequence[tuple[int, int]]) -> AsyncIterator[Path]:
        with self.path.open("r+b") as file:
            for offset, length in ranges:
                file.seek(offset)
                file.write(self.data[offset : offset + length])
        yield self.path
        with self.path.open("r+b") as file:
            for offset, length in ranges:
                file.seek(offset)
                file.write(bytes([GARBAGE]) * len(self.data[offset : offset + length]))


def pyramid_of(file: WholeFile) -> OpenPyramid:
    """Open the pyramid of a file."""
    head = read_head(lambda start, size: file.data[start : start + size], file.size)
    return OpenPyramid(record_of(file.data), file, head)  # type: ignore[arg-type]


def resolve_path(path: str, pyramid: OpenPyramid) -> ResolvedRequest:
    """Resolve `region/size/rotation/quality.format` for a pyramid."""
    full = pyramid.levels[0]
    parsed = parse_image_request(tuple(path.split("/")), V3)
    return resolve(parsed, full.width, full.height, Limits(area=25_000_000))


def pool() -> RenderPool:
    """Make a pool of two threads."""
    return RenderPool("small", POOL)


def pixels(body: bytes) -> Any:
    """Decode an image to (rows, columns) or (rows, columns, 3)."""
    image = pyvips.Image.new_from_buffer(body, "")
    array = image.numpy()
    return array[..., 0] if array.ndim == 3 and array.shape[2] == 1 else array


def psnr(actual: Any, expected: Any) -> float:
    """Return the peak signal-to-noise ratio in decibels."""
    error = np.mean((actual.astype(float) - expected.astype(float)) ** 2)
    return float(10 * np.log10(255**2 / max(error, 1e-9)))
