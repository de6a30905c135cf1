"""One derivative to be rendered: the request, and the plan to make it."""

from collections.abc import Sequence
from dataclasses import dataclass

from vitrine.deliver.pyramids.level import StoredLevel
from vitrine.deliver.render.geometry import RenderPlan, plan_request
from vitrine.iiif.request import ResolvedRequest

MAX_DECODED_PIXELS = 48_000_000
"""Largest source that is decoded as a whole: larger ones are read in strips."""

_BANDS = 3
_COLOUR = ("default", "color")
_ENCODED_BYTES = {"jpg": 2, "png": 5, "webp": 7, "tif": 5, "gif": 12, "avif": 22, "jxl": 30}
"""Bytes per pixel of the result: the encoder's memory and its output."""
_ENCODING_WORK = {
    "jpg": 1.5,
    "png": 7.0,
    "webp": 9.0,
    "tif": 7.0,
    "gif": 100.0,
    "avif": 12.0,
    "jxl": 10.5,
}
"""Work of scaling and encoding one pixel of the result, in decoded pixels."""
_STARTING_WORK = {"jxl": 225_000}
"""Work that an encoder takes for a picture of any size (ADR 0032)."""
_ENLARGING_WORK = 3.0
"""Additional work per pixel of an enlarged result."""
_ENLARGED_BYTES = 11
"""Memory per pixel of an enlarged result: Pillow's two passes of four bytes, and libvips' copy."""
_STRIPS_BYTES = 48 << 20
"""Memory of libvips' buffers, and of those of a reader of files."""


@dataclass(frozen=True, slots=True)
class RenderTask:
    """A request with its plan."""

    request: ResolvedRequest
    plan: RenderPlan
    level: StoredLevel
    """The level that the plan reads."""

    @property
    def decodes_tiles(self) -> bool:
        """True if the tiles are decoded here, not by a reader of the whole file."""
        return self.level.passes_through and self.plan.source_pixels <= MAX_DECODED_PIXELS

    @property
    def is_turned(self) -> bool:
        """True if the result is rotated or mirrored."""
        return _is_turned(self.request)

    @property
    def is_plain_jpeg(self) -> bool:
        """True if the result is an upright colour JPEG."""
        return is_plain_jpeg(self.request)

    @property
    def memory_bytes(self) -> int:
        """Estimated peak memory of the render."""
        source = self.plan.source_pixels * _BANDS if self.decodes_tiles else 0
        turned = self.plan.result_pixels * _BANDS if self.is_turned else 0
        enlarged = self.plan.result_pixels * _ENLARGED_BYTES if self.plan.enlarges else 0
        encoded = self.plan.result_pixels * _ENCODED_BYTES[self.request.format]
        return source + turned + enlarged + encoded + _STRIPS_BYTES

    @property
    def work(self) -> float:
        """Estimated work in decoded pixels: 6 million are 40 ms of one core."""
        return estimate_work(self.request, self.plan)


def is_plain_jpeg(request: ResolvedRequest) -> bool:
    """Return True if the result is an upright colour JPEG."""
    return request.format == "jpg" and request.quality in _COLOUR and not _is_turned(request)


def _is_turned(request: ResolvedRequest) -> bool:
    return bool(request.rotation.degrees or request.rotation.mirrored)


def estimate_work(request: ResolvedRequest, plan: RenderPlan) -> float:
    """Return the work of a planned request in decoded pixels, for which no pyramid is needed."""
    each = _ENCODING_WORK[request.format] + _ENLARGING_WORK * request.is_upscaled
    starting = _STARTING_WORK.get(request.format, 0)
    return plan.source_pixels + plan.result_pixels * each + starting


def packing_costs(width: int, height: int) -> tuple[int, float]:
    """Return memory in bytes and work, in decoded pixels, of packing a JPEG as a JPEG XL."""
    pixels = width * height
    work = pixels * (_ENCODING_WORK["jxl"] - _ENCODING_WORK["jpg"]) + _STARTING_WORK["jxl"]
    return pixels * _ENCODED_BYTES["jxl"], work


def plan_task(levels: Sequence[StoredLevel], request: ResolvedRequest) -> RenderTask:
    """Return the task of a request for a pyramid of these levels, full resolution first."""
    plan = plan_request(levels, request)
    return RenderTask(request, plan, levels[plan.level])
