"""The masters of a drill: small pictures, each of its own four colours, and broken ones."""

import hashlib
import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyvips

Colour = tuple[int, int, int]
MIN_SIDE, MAX_SIDE = 64, 320
"""Pixels: what takes time shall be the pipeline, not the conversion."""
_COLOURS = range(16, 240)
_BOMB_SIDE = 60_000


@dataclass(frozen=True, kw_only=True)
class DrillPicture:
    """A master that can be converted. `colours` are those of its quarters, row by row."""

    body: bytes
    width: int
    height: int
    colours: tuple[Colour, Colour, Colour, Colour]

    @property
    def sha256(self) -> str:
        """The checksum as in the access master's metadata."""
        return hashlib.sha256(self.body).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Broken:
    """A master that must be rejected. `kind` is a name of BROKEN."""

    body: bytes
    kind: str


Master = DrillPicture | Broken | None
"""The content of a key; None is a deletion."""


def make_picture(seed: int) -> DrillPicture:
    """Return picture number `seed`, the same on every machine."""
    chance = random.Random(f"picture {seed}")
    width, height = (chance.randint(MIN_SIDE, MAX_SIDE) for _ in range(2))
    colours = tuple(
        (chance.choice(_COLOURS), chance.choice(_COLOURS), chance.choice(_COLOURS))
        for _ in range(4)
    )
    pixels = np.empty((height, width, 3), np.uint8)
    for number, colour in enumerate(colours):
        rows = slice(None, height // 2) if number < 2 else slice(height // 2, None)
        columns = slice(width // 2, None) if number % 2 else slice(None, width // 2)
        pixels[rows, columns] = colour
    image = pyvips.Image.new_from_memory(pixels.data, width, height, 3, "uchar")
    image = image.copy(interpretation="srgb")
    body = chance.choice(_WRITERS)(image)
    first, second, third, fourth = colours
    return DrillPicture(
        body=body, width=width, height=height, colours=(first, second, third, fourth)
    )


_WRITERS: tuple[Callable[[pyvips.Image], bytes], ...] = (
    lambda image: bytes(image.tiffsave_buffer()),
    lambda image: bytes(image.tiffsave_buffer(compression="lzw", predictor="horizontal")),
    lambda image: bytes(image.tiffsave_buffer(compression="deflate", tile=True)),
    lambda image: bytes(image.pngsave_buffer()),
    lambda image: bytes(image.jpegsave_buffer(Q=95, subsample_mode="off")),
)


def make_broken(seed: int) -> Broken:
    """Return broken master number `seed`; kinds follow one another."""
    kind = BROKEN[seed % len(BROKEN)]
    return Broken(body=_BREAKERS[kind](seed), kind=kind)


def _cut_tiff(seed: int) -> bytes:
    body = _make_noise(seed).tiffsave_buffer()
    return bytes(body[: len(body) * 2 // 3])


def _cut_jpeg(seed: int) -> bytes:
    body = _make_noise(seed).jpegsave_buffer(Q=90)
    return bytes(body[: len(body) // 2])


def _cut_png(seed: int) -> bytes:
    body = _make_noise(seed).pngsave_buffer()
    return bytes(body[: len(body) // 2])


def _make_noise(seed: int) -> pyvips.Image:
    """Pixels that do not compress, so that half a file is half a picture."""
    pixels = np.random.default_rng(seed).integers(0, 255, (200, 160, 3), np.uint8)
    image = pyvips.Image.new_from_memory(pixels.data, 160, 200, 3, "uchar")
    return image.copy(interpretation="srgb")


def _three_channel_cmyk(seed: int) -> bytes:
    """Return a baseline TIFF whose directory says CMYK, with three samples per pixel."""
    side = 40 + seed % 20
    entries = [(256, side), (257, side), (258, 8), (259, 1), (262, 5), (277, 3), (278, side)]
    entries += [(273, 8), (279, side * side * 3)]
    pixels = bytes(side * side * 3)
    directory = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in sorted(entries))
    head = b"II*\0" + struct.pack("<I", 8 + len(pixels)) + pixels
    return head + struct.pack("<H", len(entries)) + directory + bytes(4)


def _tiff_bomb(seed: int) -> bytes:
    """Return a TIFF of 3,600 megapixels in a kilobyte, which inflates to a fraction of them."""
    data = zlib.compress(bytes(1_000_000))
    entries = [(256, _BOMB_SIDE), (257, _BOMB_SIDE), (258, 8), (259, 8), (262, 1), (273, 8)]
    entries += [(277, 1), (278, _BOMB_SIDE), (279, len(data))]
    directory = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries)
    head = b"II*\0" + struct.pack("<I", 8 + len(data)) + data
    return head + struct.pack("<H", len(entries)) + directory + bytes(4)


def _jpeg_bomb(seed: int) -> bytes:
    """Return a progressive JPEG that says that it has as many."""
    frame = struct.pack(">BHHB", 8, _BOMB_SIDE, _BOMB_SIDE, 3) + b"\1\x22\0\2\x11\1\3\x11\1"
    head = b"\xff\xd8\xff\xc2" + struct.pack(">H", len(frame) + 2) + frame
    scan = b"\3\1\0\2\x11\3\x11\0\0\0"
    return head + b"\xff\xda" + struct.pack(">H", len(scan) + 2) + scan + bytes(5_000) + b"\xff\xd9"


_BREAKERS: dict[str, Callable[[int], bytes]] = {
    "cut TIFF": _cut_tiff,
    "letter": lambda seed: f"Dear colleague, please find no image number {seed}.".encode(),
    "zero bytes": lambda seed: b"",
    "TIFF bomb": _tiff_bomb,
    "CMYK of three channels": _three_channel_cmyk,
    "cut JPEG": _cut_jpeg,
    "HEIC file": lambda seed: b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(64),
    "JPEG bomb": _jpeg_bomb,
    "cut PNG": _cut_png,
}
BROKEN = tuple(_BREAKERS)
"""The ways in which a master can be broken."""
