"""The table that says which renderer makes which derivative, and in which pool.

Measured on three photographs of 13 to 20 megapixels (ADR 0007): CPU milliseconds of a thumbnail
made here, or of iipsrv with what asking it costs, against libvips on the same decoded tiles, and
decibels against Lanczos from full resolution. iipsrv first, with a millisecond for asking it on a
busy machine; thumbnails of 100 and 128 pixels cost 0.75 here and 1.4 there.

| request              | iipsrv | libvips | ratio |   dB | libvips |
|----------------------|--------|---------|-------|------|---------|
| !200                 |    2.4 |     2.1 |  1.14 | 34.3 |    33.8 |
| !400                 |    4.7 |     5.0 |  0.94 | 37.3 |    36.9 |
| !1024                |   15.1 |    17.6 |  0.86 | 39.8 |    39.8 |
| !3000                |    111 |     127 |  0.87 | 41.7 |    41.7 |
| !4096                |    188 |     204 |  0.92 | 42.6 |    42.6 |
| region 512 of 512    |    6.3 |     6.3 |  1.01 | 41.4 |    41.4 |
| region 1000 to 512   |   13.1 |    15.6 |  0.84 | 39.2 |    38.9 |
| region 2000 to 500   |    5.8 |     6.0 |  0.95 | 36.8 |    36.4 |
| !1024, turned by 90° |   14.4 |    21.7 |  0.66 | 39.9 |    39.8 |
| !400, gray           |    6.0 |     7.2 |  0.84 | 39.8 |    38.5 |
| region 300 to ^600   |    5.1 |    15.9 |  0.32 | 41.6 |    45.0 |
"""

from dataclasses import dataclass
from typing import Literal

from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.iipsrv import supports_task
from vitrine.deliver.render.planes import is_thumbnail
from vitrine.deliver.render.task import RenderTask

RendererName = Literal["thumbnail", "iipsrv", "libvips", "libjxl"]
PoolName = Literal["medium", "large", "huge", "download"]

MAX_MEDIUM_WORK = 6_000_000
"""Decoded pixels: 40 ms of one core."""
MAX_LARGE_WORK = 24_000_000
"""Four times that. Larger renders have a pool of their own, so that shorter ones do not wait."""


@dataclass(frozen=True)
class Choice:
    """The renderer of a derivative, and its pool."""

    renderer: RendererName
    pool: PoolName


def choose_renderer(pyramid: OpenPyramid, task: RenderTask) -> Choice:
    """Return the renderer of a task, and its pool by the work.

    Thumbnails from a tile or two are made at once: asking iipsrv costs more than making them. All
    other JPEGs are iipsrv's, as far as it can read the pyramid; libvips makes the rest.
    """
    if is_thumbnail(task):
        return Choice("thumbnail", "medium")
    return Choice("iipsrv" if supports_task(pyramid, task) else "libvips", choose_pool(task.work))


def choose_pool(work: float) -> PoolName:
    """Return the pool for a render by its work in decoded pixels."""
    if work <= MAX_MEDIUM_WORK:
        return "medium"
    return "large" if work <= MAX_LARGE_WORK else "huge"
