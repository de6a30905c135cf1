"""Reading of strips: what they must be, and that nothing else is taken for one."""

import io
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.unit.ingest.made_pyramids import picture
from vitrine.deliver.download.joining import END, Joining, NotJoinable, Strip, read_strip

WIDTH, HEIGHT, STEP = 200, 300, 128
PIXELS = picture(WIDTH, HEIGHT)


def encode(pixels: Any, *, rows: int = 1, **options: Any) -> bytes:
    """A JPEG with a restart marker after each `rows` rows of blocks."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(
        file, "JPEG", quality=90, restart_marker_rows=rows, subsampling=options.pop("chroma", 0),
        **options,
    )  # fmt: skip
    return file.getvalue()


def strip_of(pixels: Any, **options: Any) -> Strip:
    """A strip that may be joined."""
    return read_strip(encode(pixels, **options), pixels.shape[1], pixels.shape[0])


@pytest.mark.parametrize("chroma", [0, 1, 2])
def test_strips_are_joined_to_what_one_encoder_makes_of_the_whole(chroma: int) -> None:
    tops = range(0, HEIGHT, STEP)
    strips = [strip_of(PIXELS[top : top + STEP], chroma=chroma) for top in tops]
    joining = Joining(strips[0])
    joined = strips[0].head_of(HEIGHT) + bytes(strips[0].coded)
    joined += b"".join(joining.follow(strip) for strip in strips[1:])
    assert joined + END == encode(PIXELS, chroma=chroma)


def test_a_gray_strip_has_rows_of_eight_pixels() -> None:
    strip = strip_of(PIXELS[:17, :, 0])
    assert (strip.width, strip.height, strip.rows) == (WIDTH, 17, 3)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (PIXELS[:64], PIXELS[64:128, 8:], "another width"),
        (PIXELS[:64], PIXELS[64:128, :, 0], "other tables"),
        (PIXELS[:56], PIXELS[56:128], "between two cycles"),
    ],
)
def test_strips_that_do_not_fit_are_not_joined(first: Any, second: Any, reason: str) -> None:
    joining = Joining(strip_of(first))
    with pytest.raises(NotJoinable, match=reason):
        joining.follow(strip_of(second))


def damaged_rows() -> dict[str, bytes]:
    """A strip of eight rows whose markers are not what they must be."""
    whole = encode(PIXELS[:64])
    parts = re.split(rb"(?<=\xff[\xd0-\xd6])", whole)
    assert len(parts) == 8
    return {
        "a row is gone": b"".join(parts[:3] + parts[4:]),
        "the last rows are gone": b"".join(parts[:5])[:-2] + END,
        "a row is there twice": b"".join([*parts[:3], *parts[2:]]),
        "two rows changed places": b"".join([*parts[:3], parts[4], parts[3], *parts[5:]]),
        "a marker has another number": whole.replace(b"\xff\xd2", b"\xff\xd3"),
        "a marker is gone": whole.replace(b"\xff\xd2", b""),
        "another JPEG follows": whole[:-2] + encode(PIXELS[64:128]),
        "it ends in the middle of a byte": whole[:-2] + b"\xff" + END,
    }


@pytest.mark.parametrize("jpeg", damaged_rows().values(), ids=damaged_rows())
def test_rows_that_are_cut_off_or_out_of_order_are_noticed(jpeg: bytes) -> None:
    with pytest.raises(NotJoinable, match="restart markers in their order"):
        read_strip(jpeg, WIDTH, 64)


def test_a_strip_of_another_size_is_named() -> None:
    with pytest.raises(NotJoinable, match="has 200 by 48 pixels, and 200 by 64 were requested"):
        read_strip(encode(PIXELS[:48]), WIDTH, 64)


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
        read_strip(jpeg, WIDTH, HEIGHT)


@given(st.data())
def test_no_damage_to_a_head_raises_anything_else(data: st.DataObject) -> None:
    jpeg = bytearray(encode(PIXELS[:16]))
    for _ in range(data.draw(st.integers(1, 6))):
        jpeg[data.draw(st.integers(0, 640))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(jpeg)))
    for damaged in (bytes(jpeg), bytes(jpeg[:cut]) + END):
        try:
            strip = read_strip(damaged, WIDTH, 16)
        except NotJoinable:
            continue
        assert len(strip.head_of(1)) == len(strip.head)
        assert strip.height_at + 2 <= len(strip.head)


def test_a_head_differs_only_in_its_height() -> None:
    strip = strip_of(PIXELS[:16])
    differ = np.frombuffer(strip.head_of(0x1234), "u1") != np.frombuffer(strip.head, "u1")
    assert list(np.flatnonzero(differ)) == [strip.height_at, strip.height_at + 1]
