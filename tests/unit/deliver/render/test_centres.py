"""No renderer displaces a picture: each is held against a resampler of its own, in floating point.

The displacement between a result and the reference is what fits their difference best, by the
reference's gradient (least squares).
"""

import asyncio
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.unit.deliver.render.render_rig import WholeFile, pixels, pool, pyramid_of, resolve_path
from tests.unit.ingest.made_pyramids import write_file
from vitrine.deliver.render.libvips import Libvips
from vitrine.deliver.render.planes import ThumbnailRenderer, is_thumbnail
from vitrine.deliver.render.task import plan_task
from vitrine.iiif.region import Box

pytestmark = pytest.mark.slow

WIDTH, HEIGHT = 903, 701
MARGIN = 3
MAX_SHIFT = 0.1
"""Pixels of the region where it is enlarged, of the result where it is reduced."""
REDUCED_SHIFT = 0.25
"""libvips scales whole pixels; a smaller shift is not mended (see geometry.py)."""
FORMATS = ("jpg", "png", "webp", "tif")


@cache
def shown() -> Any:
    """Waves of some 60 pixels both ways, seen in every channel."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    waves = 128 + 50 * np.sin(x / 9) + 50 * np.sin(y / 11)
    return np.repeat(waves[..., None], 3, axis=2).astype("u1")


@cache
def stored() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shown.tif"
        write_file(shown(), path)
        return path.read_bytes()


def reference(box: Box, width: int, height: int) -> Any:
    """Scale a box of full resolution with Pillow, in floating point."""
    image = Image.fromarray(shown()[..., 1].astype("f4"), "F")
    edges = (box.x, box.y, box.x + box.width, box.y + box.height)
    return np.asarray(image.resize((width, height), Image.Resampling.LANCZOS, edges))


def displacement(actual: Any, expected: Any) -> tuple[float, float]:
    """Return by how many pixels of the result it is displaced, across and down."""
    inner = (slice(MARGIN, -MARGIN),) * 2
    down, across = np.gradient(expected)
    slopes = np.stack([across[inner].ravel(), down[inner].ravel()], axis=1)
    error = (actual.astype(float) - expected)[inner].ravel()
    (x, y), *_ = np.linalg.lstsq(slopes, error, rcond=None)
    return float(x), float(y)


def render(path: str) -> Any:
    """Return the green channel of a result of the gateway's own renderers."""

    async def make(folder: str) -> bytes:
        file = WholeFile(stored(), Path(folder) / "file.tif")
        pyramid, renders = pyramid_of(file), pool()
        task = plan_task(pyramid.levels, resolve_path(path, pyramid))
        renderer = ThumbnailRenderer() if is_thumbnail(task) else Libvips()
        try:
            return await renderer.render(pyramid, task, renders)
        finally:
            renders.close()

    with tempfile.TemporaryDirectory() as folder:
        return pixels(asyncio.run(make(folder)))[..., 1]


boxes = st.builds(
    Box, st.integers(0, 300), st.integers(0, 200), st.integers(120, 600), st.integers(120, 500)
)


@given(
    box=boxes,
    factor=st.floats(1.01, 3),
    stretch=st.floats(1, 1.5),
    file_format=st.sampled_from(FORMATS),
)
@settings(max_examples=25, deadline=None)
def test_an_enlargement_stays_in_its_place(
    box: Box, factor: float, stretch: float, file_format: str
) -> None:
    width, height = int(box.width * factor) + 1, int(box.height * factor * stretch) + 1
    region = f"{box.x},{box.y},{box.width},{box.height}"
    actual = render(f"{region}/^{width},{height}/0/default.{file_format}")
    across, down = displacement(actual, reference(box, width, height))
    assert abs(across) * box.width / width < MAX_SHIFT
    assert abs(down) * box.height / height < MAX_SHIFT


@given(box=boxes, factor=st.floats(1.02, 4), file_format=st.sampled_from(FORMATS))
@settings(max_examples=25, deadline=None)
def test_a_reduction_stays_in_its_place(box: Box, factor: float, file_format: str) -> None:
    width, height = int(box.width / factor), int(box.height / factor)
    region = f"{box.x},{box.y},{box.width},{box.height}"
    actual = render(f"{region}/{width},{height}/0/default.{file_format}")
    across, down = displacement(actual, reference(box, width, height))
    assert max(abs(across), abs(down)) < REDUCED_SHIFT


@pytest.mark.parametrize("distance", [-0.4, 0.15, 0.4])
def test_a_displacement_is_noticed(distance: float) -> None:
    expected = reference(Box(0, 0, 400, 300), 400, 300)
    moved = Image.fromarray(shown()[..., 1].astype("f4"), "F").resize(
        (380, 290), Image.Resampling.LANCZOS, (10 + distance, 5, 390 + distance, 295)
    )
    across, down = displacement(np.asarray(moved), expected[5:295, 10:390])
    assert across == pytest.approx(distance, abs=0.03)
    assert down == pytest.approx(0, abs=0.03)
