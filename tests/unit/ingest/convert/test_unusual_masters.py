"""Sound masters that are not as most programs write them, through the whole ingest in memory."""

from typing import Any

import imagecodecs
import numpy as np
import pyvips
from PIL import Image

from tests.unit.ingest.unusual_masters import (
    HEIGHT,
    IMAGE,
    PIXELS,
    WIDTH,
    avif_with_aperture,
    gif_on_screen,
    in_strips,
    jpeg_strips,
    saved,
    tiff,
    webp_on_screen,
    ycbcr,
)
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.records import Outcome

KEY = "a/nachtwache"
MOST = 3.0
"""Of 255: what two lossy codings change in the mean, at most; a GIF's palette, too."""
_LONG, _SHORT, _UNDEFINED = 4, 3, 7
_NO_LENGTHS: dict[int, Any] = {279: (_LONG, [])}
_ZERO_LENGTH: dict[int, Any] = {279: (_LONG, [0])}


def ingest(body: bytes) -> tuple[Outcome, Any]:
    """Return the outcome of a master, and the pixels of the access master if it is published."""
    services = MemoryIngestServices()
    services.masters.put(KEY, body, content_type="application/octet-stream")
    outcome = services.ingest(KEY)
    assert outcome
    if outcome.state != "published":
        return outcome, None
    [entry] = services.access_masters.list_keys().entries
    stored, _ = services.access_masters.get(entry.key)
    return outcome, pyvips.Image.tiffload_buffer(stored).numpy()


def on_white(left: int, top: int, width: int, height: int) -> Any:
    """Return the picture at a place of a white screen."""
    screen = np.full((height, width, 3), 255, "u1")
    screen[top : top + HEIGHT, left : left + WIDTH] = PIXELS
    return screen


def deflated() -> list[bytes]:
    """Return the pixels in one strip."""
    return [imagecodecs.zlib_encode(PIXELS.tobytes())]


def packed() -> list[bytes]:
    """Return the pixels in strips of a few rows."""
    return [imagecodecs.packbits_encode(part, axis=None) for part in in_strips(16)]


def test_the_picture_of_unusual_masters_is_published() -> None:
    whole, rows = in_strips(HEIGHT), {278: (_LONG, [16])}
    masters: dict[str, tuple[bytes, Any]] = {
        "YCbCr JPEG strips, subsampling unstated": (tiff(jpeg_strips(64), ycbcr(64)), PIXELS),
        "YCbCr JPEG strips, another one stated": (tiff(jpeg_strips(64), ycbcr(64, 2, 1)), PIXELS),
        "YCbCr JPEG strips, 4:2:0": (
            tiff(jpeg_strips(64, subsampling="420"), ycbcr(64)),
            PIXELS,
        ),
        "lowest JPEG strip of full height": (
            tiff(jpeg_strips(64, padded=True), ycbcr(64, 1, 1)),
            PIXELS,
        ),
        "the only JPEG strip too high": (
            tiff(jpeg_strips(HEIGHT + 32, padded=True), ycbcr(HEIGHT + 32)),
            PIXELS,
        ),
        "no StripByteCounts": (tiff(whole, _NO_LENGTHS), PIXELS),
        "a zero for StripByteCounts": (tiff(whole, _ZERO_LENGTH), PIXELS),
        "no StripByteCounts, several strips": (
            tiff(in_strips(16), {**_NO_LENGTHS, **rows}),
            PIXELS,
        ),
        "no StripByteCounts, deflate": (
            tiff(deflated(), {**_NO_LENGTHS, 259: (_SHORT, [8])}),
            PIXELS,
        ),
        "no StripByteCounts, PackBits": (
            tiff(packed(), {**_NO_LENGTHS, **rows, 259: (_SHORT, [32773])}),
            PIXELS,
        ),
        "0 RowsPerStrip": (tiff(whole, {278: (_LONG, [0])}), PIXELS),
        "resolution that is none": (
            tiff(whole, {282: (_SHORT, [1, 2, 3]), 283: (_LONG, [0]), 296: (_SHORT, [9, 9])}),
            PIXELS,
        ),
        "no closing offset": (tiff(whole, {}, closing=b""), PIXELS),
        "animated WebP, first picture a part": (
            webp_on_screen((300, 200), 40, 20),
            on_white(40, 20, 300, 200),
        ),
        "animated WebP, second picture a part": (second_part_of_webp(), PIXELS),
        "AVIF with a clean aperture": (avif_with_aperture(200, 100), PIXELS[:100, :200]),
        "GIF larger than its screen": (gif_on_screen((120, 80), 0, 0), PIXELS),
        "GIF that reaches beyond its screen": (
            gif_on_screen((260, 170), 40, 20),
            on_white(40, 20, 280, 180),
        ),
        "GIF on a part of its screen": (
            gif_on_screen((300, 200), 40, 20),
            on_white(40, 20, 300, 200),
        ),
        "lossless JPEG": (imagecodecs.jpeg8_encode(PIXELS, lossless=True), PIXELS),
    }
    faults = {
        name: fault for name, (body, shown) in masters.items() if (fault := judge(body, shown))
    }
    assert faults == {}


def judge(body: bytes, shown: Any) -> str:
    """Return what is wrong with the published image, an empty string if nothing is."""
    outcome, pixels = ingest(body)
    if pixels is None:
        return f"{outcome.code}: {outcome.value}"
    if pixels.shape != shown.shape:
        return f"{pixels.shape} instead of {shown.shape}"
    difference = np.abs(pixels.astype("i2") - shown).mean()
    return f"{difference:.1f} of 255" if difference > MOST else ""


def second_part_of_webp() -> bytes:
    """Return an animation whose second picture covers a part of the first, as encoders write it."""
    second = IMAGE.copy()
    second.paste((10, 10, 10), (50, 50, 120, 90))
    return saved(IMAGE, "WEBP", save_all=True, append_images=[second], lossless=True, kmin=0)


def test_long_strips_of_noise_are_published() -> None:
    """Whatever their shape: what verification expects is padded as the writer pads."""
    noise = np.random.default_rng(3)
    for width, height in ((40, 7_000), (7_000, 40), (33, 900), (900, 17)):
        pixels = noise.integers(0, 256, (height, width, 3), "u1")
        outcome, shown = ingest(saved(Image.fromarray(pixels), "PNG"))
        assert (outcome.state, outcome.value) == ("published", "")
        assert shown.shape == pixels.shape
