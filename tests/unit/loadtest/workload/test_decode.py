"""What every answer's looks let pass is found by decoding a share of them."""

import pytest
import pyvips

from loadtest.workload.answers import find_fault
from loadtest.workload.decode import EVERY, AnswerSampler, find_pixel_fault
from loadtest.workload.target import Target

TARGET = Target("tile", "/iiif/3/a/0,0,256,256/256,/0/default.jpg", width=256, height=200)
JPEG = {"content-type": "image/jpeg"}


def picture(width: int = 256, height: int = 200, suffix: str = ".jpg") -> bytes:
    noise = pyvips.Image.gaussnoise(width, height, seed=1).cast("uchar")
    body: bytes = noise.write_to_buffer(suffix)
    return body


def test_a_whole_picture_is_right() -> None:
    for suffix in (".jpg", ".png", ".webp"):
        assert find_pixel_fault(TARGET, picture(suffix=suffix)) == ""


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_a_jpeg_cut_off_inside_with_right_header_and_end_is_caught(share: float) -> None:
    body = picture()
    cut = body[: int(share * len(body))] + b"\xff\xd9"
    assert "cannot be decoded" in find_pixel_fault(TARGET, cut)
    if share > 0.1:  # header and all
        assert find_fault(TARGET, 200, JPEG, cut) == ""


def test_other_dimensions_are_caught_in_any_format() -> None:
    assert "256 x 190" in find_pixel_fault(TARGET, picture(256, 190, ".webp"))


def test_the_first_of_each_kind_and_a_share_of_all_are_decoded() -> None:
    sample = AnswerSampler()
    other = TARGET._replace(kind="128")
    taken = [sample.takes(TARGET, JPEG) for _ in range(2 * EVERY + 1)]
    assert [number for number, takes in enumerate(taken) if takes] == [0, EVERY, 2 * EVERY]
    assert sample.takes(other, JPEG)
    assert sample.decoded == 4
