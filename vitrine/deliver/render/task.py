"""One derivative to be rendered: what was asked, and how it will be made."""

from collections.abc import Sequence
from dataclasses import dataclass

from vitrine.deliver.pyramids.level import StoredLevel
from vitrine.deliver.render.geometry import Plan, plan
from vitrine.iiif.request import ResolvedRequest

LARGEST_DECODED_PIXELS = 48_000_000
"""Of a source that is decoded as a whole: larger ones are read in strips."""

_BANDS = 3
_COLOUR = ("default", "color")
_ENCODED_BYTES = {"jpg": 2, "png": 5, "webp": 7, "tif": 5, "gif": 12}
"""Per pixel, of the encoder's memory and of its result."""
_ENCODING_WORK = {"jpg": 1.5, "png": 7.0, "webp": 9.0, "tif": 7.0, "gif": 100.0}
"""Of scaling and encoding a pixel of the result, in decoded pixels."""
_ENLARGING_WORK = 3.0
"""More of it per pixel."""
_STRIPS_BYTES = 48 << 20
"""Of libvips' buffers, and of those of a reader of files."""


@dataclass(frozen=True, slots=True)
class RenderTask:
    """A request with its plan."""

    request: ResolvedRequest
    plan: Plan
    level: StoredLevel
    """The plan's."""

    @property
    def decodes_tiles(self) -> bool:
        """Whether the tiles are decoded here, not by a reader of the whole file."""
        return self.level.passes_through and self.plan.source_pixels <= LARGEST_DECODED_PIXELS

    @property
    def is_turned(self) -> bool:
        """Whether the result is rotated or mirrored."""
        return bool(self.request.rotation.degrees or self.request.rotation.mirrored)

    @property
    def is_plain_jpeg(self) -> bool:
        """Whether an upright colour JPEG is asked."""
        upright = not self.is_turned
        return upright and self.request.format == "jpg" and self.request.quality in _COLOUR

    @property
    def memory_bytes(self) -> int:
        """What the render takes at its peak, roughly."""
        source = self.plan.source_pixels * _BANDS if self.decodes_tiles else 0
        turned = self.plan.result_pixels * _BANDS if self.is_turned else 0
        encoded = self.plan.result_pixels * _ENCODED_BYTES[self.request.format]
        return source + turned + encoded + _STRIPS_BYTES

    @property
    def work(self) -> float:
        """What the render costs, in decoded pixels, roughly: 6 million are 40 ms of a core."""
        each = _ENCODING_WORK[self.request.format] + _ENLARGING_WORK * self.request.is_upscaled
        return self.plan.source_pixels + self.plan.result_pixels * each


def task_of(levels: Sequence[StoredLevel], request: ResolvedRequest) -> RenderTask:
    """The task of a request for a pyramid of these levels, full resolution first."""
    made = plan(levels, request)
    return RenderTask(request, made, levels[made.level])
