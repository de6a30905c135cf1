"""Reading of strips: what they must be, and that nothing else is taken for one."""

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.unit.ingest.made_pyramids import picture
from vitrine.deliver.download.joining import END, NotJoinable, read_strip, restart_after

WIDTH, HEIGHT, STEP = 200, 300, 128
PIXELS = picture(WIDTH, HEIGHT)


def encode(pixels: Any, *, rows: int = 1, **options: Any) -> bytes:
    """A JPEG with a restart marker after so many rows of blocks."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(
        file, "JPEG", quality=90, restart_marker_rows=rows, subsampling=options.pop("chroma", 0),
        **options,
    )  # fmt: skip
    return file.getvalue()


@pytest.mark.parametrize("chroma", [0, 1, 2])
def test_strips_are_joined_to_what_one_encoder_makes_of_the_whole(chroma: int) -> None:
    strips = [
        read_strip(encode(PIXELS[top : top + STEP], chroma=chroma))
        for top in range(0, HEIGHT, STEP)
    ]
    joined, rows = strips[0].head_of(HEIGHT), 0
    for strip in strips:
        joined += (restart_after(rows - 1) if rows else b"") + bytes(strip.coded)
        rows += strip.rows
    assert joined + END == encode(PIXELS, chroma=chroma)


def test_a_gray_strip_has_rows_of_eight_pixels() -> None:
    strip = read_strip(encode(PIXELS[:17, :, 0]))
    assert (strip.width, strip.height, strip.rows) == (WIDTH, 17, 3)


@pytest.mark.parametrize(
    ("jpeg", "reason"),
    [
        (encode(PIXELS, rows=0), "not cut from coefficients"),
        (encode(PIXELS, rows=2), "not cut from coefficients"),
        (encode(PIXELS, progressive=True), "0xc2"),
        (encode(PIXELS)[:-2], "whole"),
        (encode(PIXELS)[:40] + END, "makes no sense"),
        (b"", "whole"),
        (b"\xff\xd8\xff\xd9", "makes no sense"),
    ],
)
def test_what_is_no_strip_is_named(jpeg: bytes, reason: str) -> None:
    with pytest.raises(NotJoinable, match=reason):
        read_strip(jpeg)


@given(st.data())
def test_no_damage_to_a_head_raises_anything_else(data: st.DataObject) -> None:
    jpeg = bytearray(encode(PIXELS[:16]))
    for _ in range(data.draw(st.integers(1, 6))):
        jpeg[data.draw(st.integers(0, 640))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(jpeg)))
    for damaged in (bytes(jpeg), bytes(jpeg[:cut]) + END):
        try:
            strip = read_strip(damaged)
        except NotJoinable:
            continue
        assert len(strip.head_of(1)) == len(strip.head)
        assert strip.height_at + 2 <= len(strip.head)


def test_a_head_differs_only_in_its_height() -> None:
    strip = read_strip(encode(PIXELS[:16]))
    differ = np.frombuffer(strip.head_of(0x1234), "u1") != np.frombuffer(strip.head, "u1")
    assert list(np.flatnonzero(differ)) == [strip.height_at, strip.height_at + 1]
