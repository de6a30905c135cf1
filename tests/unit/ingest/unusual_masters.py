"""Sound masters that programs of all ages write and that decoders warn of or see in another way."""

import io
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import imagecodecs
import numpy as np
from PIL import Image

from tests.rigs.corpora.corpus_colours import eight, picture

PIXELS = eight(picture())
HEIGHT, WIDTH = PIXELS.shape[:2]
IMAGE = Image.fromarray(PIXELS)
_STRIP_OFFSETS, _STRIP_BYTE_COUNTS, _ROWS_PER_STRIP = 273, 279, 278
_SHORT, _LONG, _UNDEFINED = 3, 4, 7

Fields = Mapping[int, tuple[int, Sequence[int]]]
"""Type (SHORT, LONG or UNDEFINED) and values, by tag."""


def saved(image: Image.Image, file_format: str, **options: Any) -> bytes:
    """Return the image as Pillow writes it."""
    file = io.BytesIO()
    image.save(file, file_format, **options)
    return file.getvalue()


def tiff(parts: Sequence[bytes], fields: Fields, *, closing: bytes = bytes(4)) -> bytes:
    """Return a TIFF of RGB with these strips and exactly these further or other fields."""
    body, offsets = bytearray(b"II*\0\0\0\0\0"), []
    for part in parts:
        offsets.append(len(body))
        body += part + bytes(len(part) % 2)
    merged: dict[int, tuple[int, Sequence[int]]] = {
        256: (_LONG, [WIDTH]),
        257: (_LONG, [HEIGHT]),
        258: (_SHORT, [8, 8, 8]),
        259: (_SHORT, [1]),
        262: (_SHORT, [2]),
        277: (_SHORT, [3]),
        _STRIP_OFFSETS: (_LONG, offsets),
        _STRIP_BYTE_COUNTS: (_LONG, [len(part) for part in parts]),
        **fields,
    }
    entries = b""
    for tag, (kind, values) in sorted(merged.items()):
        if not values:
            continue
        data = struct.pack(
            f"<{len(values)}{'BHI'[(_UNDEFINED, _SHORT, _LONG).index(kind)]}", *values
        )
        if len(data) > 4:
            value = struct.pack("<I", len(body))
            body += data + bytes(len(data) % 2)
        else:
            value = data.ljust(4, b"\0")
        entries += struct.pack("<HHI", tag, kind, len(values)) + value
    struct.pack_into("<I", body, 4, len(body))
    return bytes(body) + struct.pack("<H", len(entries) // 12) + entries + closing


def in_strips(rows: int) -> list[bytes]:
    """Return the pixels in strips of `rows` rows."""
    return [PIXELS[top : top + rows].tobytes() for top in range(0, HEIGHT, rows)]


def jpeg_strips(rows: int, *, padded: bool = False, subsampling: str = "444") -> list[bytes]:
    """Return the pixels in YCbCr JPEG strips; `padded`: the lowest is as high as the others."""
    pixels: Any = PIXELS
    if padded:
        pixels = np.pad(PIXELS, ((0, -HEIGHT % rows), (0, 0), (0, 0)), "edge")
    options = {"colorspace": "RGB", "outcolorspace": "YCBCR", "subsampling": subsampling}
    return [
        imagecodecs.jpeg8_encode(np.ascontiguousarray(pixels[top : top + rows]), 95, **options)
        for top in range(0, HEIGHT, rows)
    ]


def ycbcr(rows: int, *stated: int) -> Fields:
    """Return the fields of JPEG strips, with the subsampling that is `stated`, if any is."""
    return {
        259: (_SHORT, [7]),
        262: (_SHORT, [6]),
        530: (_SHORT, stated),
        _ROWS_PER_STRIP: (_LONG, [rows]),
    }


def gif_on_screen(screen: tuple[int, int], left: int, top: int) -> bytes:
    """Return a GIF of the picture at a place of a screen of another size."""
    body = bytearray(saved(IMAGE.quantize(255, dither=Image.Dither.NONE), "GIF"))
    struct.pack_into("<HH", body, 6, *screen)
    at = body.index(b"\x2c\0\0\0\0" + struct.pack("<HH", WIDTH, HEIGHT))
    struct.pack_into("<HH", body, at + 1, left, top)
    return bytes(body)


def webp_on_screen(screen: tuple[int, int], left: int, top: int) -> bytes:
    """Return an animated WebP whose first picture covers a part of the screen."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)

    def short(*values: int) -> bytes:
        return b"".join(value.to_bytes(3, "little") for value in values)

    rest = bytes(3)
    still = saved(IMAGE, "WEBP", lossless=True)[12:]
    frame = short(left // 2, top // 2, WIDTH - 1, HEIGHT - 1, 100) + b"\0" + still
    body = chunk(b"VP8X", b"\2" + rest + short(screen[0] - 1, screen[1] - 1))
    body += chunk(b"ANIM", bytes(6)) + chunk(b"ANMF", frame)
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def avif_with_aperture(width: int, height: int) -> bytes:
    """Return an AVIF that shows its upper left part (ISO/IEC 14496-12, 12.1.4)."""
    body = bytearray(saved(IMAGE, "AVIF", quality=95))
    right, below = width - WIDTH, height - HEIGHT
    fractions = struct.pack(">IIIIiIiI", width, 1, height, 1, right, 2, below, 2)
    aperture = struct.pack(">I4s", 40, b"clap") + fractions
    association = body.index(b"ipma") + 14
    number = body[association] + 1
    body[association] = number
    body[association + number : association + number] = bytes([0x80 | number])
    grown = {b"ipma": 1, b"ipco": len(aperture), b"iprp": 41, b"meta": 41}
    places = {body.index(name) - 4: by for name, by in grown.items()}
    places[body.index(b"iloc") + 18] = 41
    for at, by in places.items():
        struct.pack_into(">I", body, at, struct.unpack_from(">I", body, at)[0] + by)
    behind = body.index(b"ipma") - 4
    body[behind:behind] = aperture
    return bytes(body)
