"""Which renderer makes which derivative, and in which pool: one table.

FIGURES
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render import iipsrv, planes, thumbnail
from vitrine.deliver.render.task import RenderTask

RendererName = Literal["thumbnail", "small", "libvips", "iipsrv"]
PoolName = Literal["medium", "large"]
JpegRenderer = Literal["measured", "iipsrv"]

LARGEST_MEDIUM_WORK = 6_000_000
"""Decoded pixels: 40 ms of a core."""

_ENCODING: dict[str, float] = {"jpg": 1.5, "png": 7.0, "webp": 9.0, "tif": 7.0, "gif": 100.0}
"""Work of scaling and encoding a pixel of the result, in decoded pixels."""
_ENLARGING = 3.0
"""More of it per pixel."""


@dataclass(frozen=True)
class Choice:
    """Who renders, and in which pool."""

    renderer: RendererName
    pool: PoolName


@dataclass(frozen=True)
class _Row:
    kind: str
    holds: Callable[[OpenPyramid, RenderTask], bool]
    choice: Choice


_THUMBNAIL = _Row(
    "small upright JPEG from a tile or two",
    lambda pyramid, task: thumbnail.takes(task),
    Choice("thumbnail", "medium"),
)
_SMALL = _Row(
    "upright JPEG of up to half a megapixel",
    lambda pyramid, task: planes.takes(task),
    Choice("small", "medium"),
)
_MEDIUM = _Row(
    "any other of little work",
    lambda pyramid, task: work(task) <= LARGEST_MEDIUM_WORK,
    Choice("libvips", "medium"),
)
_LARGE = _Row(
    "the rest",
    lambda pyramid, task: True,
    Choice("libvips", "large"),
)
_MEASURED = (_THUMBNAIL, _SMALL, _MEDIUM, _LARGE)
_IIPSRV = (
    _Row(
        "JPEG of little work",
        lambda pyramid, task: work(task) <= LARGEST_MEDIUM_WORK and iipsrv.takes(pyramid, task),
        Choice("iipsrv", "medium"),
    ),
    _Row(
        "any other JPEG",
        iipsrv.takes,
        Choice("iipsrv", "large"),
    ),
    *_MEASURED,
)
_TABLES: dict[JpegRenderer, tuple[_Row, ...]] = {"measured": _MEASURED, "iipsrv": _IIPSRV}


def choose(pyramid: OpenPyramid, task: RenderTask, jpeg_renderer: JpegRenderer) -> Choice:
    """The first row that holds. `iipsrv` gives it every JPEG that it can render."""
    return next(row.choice for row in _TABLES[jpeg_renderer] if row.holds(pyramid, task))


def jpeg_renderer(setting: str) -> JpegRenderer:
    """The setting of this name. Raises ValueError."""
    for known in get_args(JpegRenderer):
        if known == setting:
            return known  # type: ignore[no-any-return]
    raise ValueError(f"jpeg_renderer is measured or iipsrv, not {setting!r}")


def work(task: RenderTask) -> float:
    """What a task costs, in decoded pixels, roughly."""
    each = _ENCODING[task.request.format] + _ENLARGING * task.request.is_upscaled
    return task.plan.source_pixels + task.plan.result_pixels * each
