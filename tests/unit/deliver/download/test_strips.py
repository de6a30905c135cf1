"""The strips of an image: they cover it once, in whole rows of tiles and restart markers."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.deliver.download.strips import STRIP_PIXELS, cut_strips, strip_height
from vitrine.errors import InvalidRequest


def image(width: int, height: int, tile: int = 256) -> Any:
    return SimpleNamespace(width=width, height=height, tile_width=tile, tile_height=tile)


@given(st.integers(1, 65_500), st.integers(1, 65_500), st.sampled_from([16, 64, 256, 512]))
def test_strips_cover_an_image_once_from_the_top_down(width: int, height: int, tile: int) -> None:
    made = image(width, height, tile)
    strips = list(cut_strips(made))
    assert sum(strip.height for strip in strips) == height
    tops = [strip.region.y for strip in strips]
    step = strip_height(made)
    assert tops == list(range(0, height, step))
    assert step % 128 == step % tile == 0
    assert all(strip.region.width == strip.width == width for strip in strips)
    assert step == max(tile, 128) or step * width <= STRIP_PIXELS


@pytest.mark.parametrize(("width", "height"), [(65_501, 10), (10, 65_501)])
def test_what_no_jpeg_holds_is_refused_with_its_size(width: int, height: int) -> None:
    with pytest.raises(InvalidRequest, match=r"at most 65,500 pixels .* regions"):
        strip_height(image(width, height))


def test_tiles_too_tall_for_the_renderer_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="tiles of 1008 by 1008"):
        strip_height(image(60_000, 60_000, 1008))
    assert strip_height(image(60_000, 500, 1008)) == 8064
