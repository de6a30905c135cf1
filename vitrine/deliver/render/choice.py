"""The table that says which renderer makes which derivative, and in which pool.

Measured on five masters of 10 to 400 megapixels (ADR 0007): CPU milliseconds of this process
against those of iipsrv's without its tile cache, and decibels against Lanczos from full resolution.

| request                    | renderer  |  here | iipsrv | ratio |   dB | iipsrv |
|----------------------------|-----------|-------|--------|-------|------|--------|
| !128                       | thumbnail |  0.65 |   0.93 |  0.69 | 30.1 |   27.4 |
| !200                       | small     |  1.44 |   1.74 |  0.83 | 30.3 |   27.8 |
| !400                       | small     |  4.73 |   5.30 |  0.89 | 31.3 |   28.6 |
| region 256 of 256          | small     |  2.08 |   1.90 |  1.10 | 37.6 |   37.5 |
| region 512 of 512          | small     |  4.49 |   4.27 |  1.05 | 37.6 |   37.6 |
| region 2000 to 500         | small     |  6.22 |   5.45 |  1.14 | 30.8 |   27.6 |
| region 1000 to 512         | small     | 15.53 |  13.65 |  1.14 | 35.7 |   29.0 |
| !1024                      | libvips   | 23.88 |  27.10 |  0.88 | 32.8 |   29.3 |
| !3000                      | libvips   |   108 |    162 |  0.67 | 33.7 |   31.4 |
| !4096                      | libvips   |   262 |    457 |  0.57 | 34.4 |   30.2 |

Through our adapter, with its pins and FastCGI, iipsrv costs 8 to 26 % more than it does alone: it
is the cheapest in no class, and renders none unless the setting gives it all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.iipsrv import supports_task
from vitrine.deliver.render.planes import is_small, is_thumbnail
from vitrine.deliver.render.task import RenderTask

RendererName = Literal["thumbnail", "small", "libvips", "iipsrv"]
PoolName = Literal["medium", "large", "huge"]
JpegRenderer = Literal["measured", "iipsrv"]

LARGEST_MEDIUM_WORK = 6_000_000
"""Decoded pixels: 40 ms of one core."""
LARGEST_LARGE_WORK = 24_000_000
"""Four times that. Larger renders have a pool of their own, so that shorter ones do not wait."""


@dataclass(frozen=True)
class Choice:
    """The renderer of a derivative, and its pool."""

    renderer: RendererName
    pool: PoolName


@dataclass(frozen=True)
class _Row:
    kind: str
    holds: Callable[[OpenPyramid, RenderTask], bool]
    choice: Choice


_THUMBNAIL = _Row(
    "small upright JPEG from a tile or two",
    lambda pyramid, task: is_thumbnail(task),
    Choice("thumbnail", "medium"),
)
_SMALL = _Row(
    "upright JPEG of up to half a megapixel",
    lambda pyramid, task: is_small(task),
    Choice("small", "medium"),
)
_MEDIUM = _Row(
    "any other of little work",
    lambda pyramid, task: task.work <= LARGEST_MEDIUM_WORK,
    Choice("libvips", "medium"),
)
_LARGE = _Row(
    "any other of more work",
    lambda pyramid, task: task.work <= LARGEST_LARGE_WORK,
    Choice("libvips", "large"),
)
_HUGE = _Row(
    "the rest",
    lambda pyramid, task: True,
    Choice("libvips", "huge"),
)
_MEASURED = (_THUMBNAIL, _SMALL, _MEDIUM, _LARGE, _HUGE)
_IIPSRV = (
    _Row(
        "JPEG of little work",
        lambda pyramid, task: task.work <= LARGEST_MEDIUM_WORK and supports_task(pyramid, task),
        Choice("iipsrv", "medium"),
    ),
    _Row(
        "JPEG of more work",
        lambda pyramid, task: task.work <= LARGEST_LARGE_WORK and supports_task(pyramid, task),
        Choice("iipsrv", "large"),
    ),
    _Row(
        "any other JPEG",
        supports_task,
        Choice("iipsrv", "huge"),
    ),
    *_MEASURED,
)
_TABLES: dict[JpegRenderer, tuple[_Row, ...]] = {"measured": _MEASURED, "iipsrv": _IIPSRV}


def choose_renderer(pyramid: OpenPyramid, task: RenderTask, jpeg_renderer: JpegRenderer) -> Choice:
    """Return the choice of the first row that holds.

    `jpeg_renderer` "iipsrv" gives iipsrv every JPEG that it can render.
    """
    return next(row.choice for row in _TABLES[jpeg_renderer] if row.holds(pyramid, task))


def parse_jpeg_renderer(setting: str) -> JpegRenderer:
    """Return the setting of this name. Raises ValueError."""
    for known in get_args(JpegRenderer):
        if known == setting:
            return known  # type: ignore[no-any-return]
    raise ValueError(f"jpeg_renderer is measured or iipsrv, not {setting!r}")
