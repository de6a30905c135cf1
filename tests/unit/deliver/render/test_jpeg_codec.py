"""A damaged tile harms no other tile, and nothing of one picture is seen in another."""

import io
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.unit.ingest.made_pyramids import picture
from vitrine.deliver.render.jpeg_codec import (
    DamagedJpeg,
    decode_pixels,
    decode_planes,
    encode_pixels,
    encode_planes,
)
from vitrine.deliver.render.pixels import Pixels
from vitrine.deliver.tiles.crop import crop
from vitrine.deliver.tiles.stream import read_header
from vitrine.iiif.region import Box

SIDE = 32
_SOF, _SOS = b"\xff\xc0", b"\xff\xda"
_EOI = b"\xff\xd9"

Outcome = bytes | str | None
Decode = Callable[[bytes, int, int], Outcome]
"""(stream, side, what memory holds before) -> pixels, stream or error."""


def jpeg(side: int, seed: int = 0, **options: object) -> bytes:
    """A colour picture in 4:4:4."""
    file = io.BytesIO()
    pixels = picture(side + seed, side)[:side, seed : seed + side]
    Image.fromarray(np.ascontiguousarray(pixels)).save(
        file, "JPEG", quality=90, subsampling="4:4:4", **options
    )
    return file.getvalue()


def as_pixels(stream: bytes, side: int, filling: int, *, tolerant: bool) -> Outcome:
    memory = np.full((side, side, 3), filling, np.uint8)
    try:
        decode_pixels(
            stream, memory.ctypes.data, side * 3, (side, side), bands=3, tolerant=tolerant
        )
    except DamagedJpeg as error:
        return str(error)
    return memory.tobytes()


def as_planes(stream: bytes, side: int, filling: int) -> Outcome:
    memory = np.full((3, side, side), filling, np.uint8)
    addresses = [plane.ctypes.data for plane in memory]
    try:
        decode_planes(stream, addresses, [side] * 3, (side, side), (1, 1))
    except DamagedJpeg as error:
        return str(error)
    return memory.tobytes()


def as_crop(stream: bytes, side: int, filling: int) -> Outcome:
    del filling
    return crop(stream, side - 7, side - 13)


ENTRIES: dict[str, Decode] = {
    "pixels": partial(as_pixels, tolerant=False),
    "tolerated pixels": partial(as_pixels, tolerant=True),
    "planes": as_planes,
    "crop": as_crop,
}
GOOD = jpeg(SIDE)
NEIGHBOURS = (jpeg(48, 5), jpeg(16, 9))


def flips(stream: bytes) -> Iterator[bytes]:
    """The stream with each bit from SOF to the first scan byte flipped."""
    header = read_header(stream)
    assert header
    for bit in range(header.frame_offset * 8, header.length * 8):
        damaged = bytearray(stream)
        damaged[bit // 8] ^= 1 << bit % 8
        yield bytes(damaged)


def outcomes(decode: Decode, stream: bytes) -> set[Outcome]:
    """What comes of a stream after either neighbour, in memory that held 0 or 255."""
    found = set()
    for neighbour, side, filling in ((NEIGHBOURS[0], 48, 0), (NEIGHBOURS[1], 16, 255)):
        decode(neighbour, side, 0)
        found.add(decode(stream, SIDE, filling))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_good_tile_is_right_after_any_flipped_bit(entry: str) -> None:
    decode = ENTRIES[entry]
    right = decode(GOOD, SIDE, 0)
    assert isinstance(right, bytes)
    count = 0
    for damaged in flips(GOOD):
        for harmful in ENTRIES.values():
            harmful(damaged, SIDE, 0)
        assert decode(GOOD, SIDE, 0) == right
        count += 1
    assert count > 3_600


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_damaged_tile_shows_nothing_of_another_picture(entry: str) -> None:
    for damaged in flips(GOOD):
        assert len(outcomes(ENTRIES[entry], damaged)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_short_tile_shows_nothing_of_another_picture(entry: str) -> None:
    progressive = jpeg(SIDE, progressive=True)
    for whole in (GOOD, progressive):
        for length in range(2, len(whole)):
            assert len(outcomes(ENTRIES[entry], whole[:length] + _EOI)) == 1


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_tile_without_tables_takes_none_of_another_picture(entry: str) -> None:
    start, scan = GOOD.index(_SOF), GOOD.index(_SOS)
    frame = GOOD[start : start + 19]
    bare = b"\xff\xd8" + frame + GOOD[scan:]
    assert len(outcomes(ENTRIES[entry], bare)) == 1
    assert not isinstance(ENTRIES[entry](bare, SIDE, 0), bytes)


def test_an_error_after_a_warning_is_not_tolerated() -> None:
    # Garbage in the scan warns; then a segment that no decoder reads ends the picture.
    progressive = jpeg(SIDE, progressive=True)
    second = progressive.index(_SOS, progressive.index(_SOS) + 2)
    broken = progressive[:second] + b"\0\0\xff\xc4\0\x13\0" + b"\xff" * 16 + progressive[second:]
    assert isinstance(as_pixels(broken, SIDE, 0, tolerant=True), str)


def test_encoders_write_the_same_after_a_failure() -> None:
    pixels = Pixels(bytearray(picture(40, 35).tobytes()), 40, 35, 3, Box(5, 2, 33, 33))
    planes = [bytes(33 * 33)] * 3
    before = encode_pixels(pixels, 90, (2, 2)), encode_planes(planes, (33, 33), 90)
    with pytest.raises(RuntimeError):
        encode_pixels(pixels, -1, (2, 2))
    with pytest.raises(RuntimeError):
        encode_planes(planes, (33, 33), 101)
    assert before == (encode_pixels(pixels, 90, (2, 2)), encode_planes(planes, (33, 33), 90))


@pytest.mark.parametrize("bands", [1, 3])
def test_an_encoder_takes_a_box_of_a_picture_and_nothing_next_to_it(bands: int) -> None:
    whole = picture(60, 50)[:, :, :bands]
    alone = whole[7:47, 11:51]

    def encode(array: Any, box: Box) -> bytes:
        height, width = array.shape[:2]
        return encode_pixels(
            Pixels(bytearray(array.tobytes()), width, height, bands, box), 90, (2, 2)
        )

    assert encode(whole, Box(11, 7, 40, 40)) == encode(alone, Box(0, 0, 40, 40))
