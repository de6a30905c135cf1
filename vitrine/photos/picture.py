"""A photograph's pixels: one decoding, however many thumbnails are wanted."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyvips

from vitrine.ingest.convert.colour import to_srgb
from vitrine.ingest.inspect.decode import Decoder, find_picture, reason_of
from vitrine.ingest.inspect.formats.jpeg_format import LOSSLESS
from vitrine.ingest.inspect.header import Header, check_complete
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import MasterBytes, Prefixed
from vitrine.ingest.inspect.vips import load
from vitrine.ingest.rejections import damaged_file
from vitrine.photos.clean_up import clean_up, find_levels
from vitrine.photos.photo_bytes import PhotoBytes, PhotoData
from vitrine.photos.thumbnails import ThumbnailPlan

_MARGINS = {8: 2.5, 4: 2.0, 2: 1.4}
"""Least ratio of what is left of a picture to the largest result, by the decoder's reduction: below
it the reduction, a mean of eight by eight at its coarsest, would show (docs/adr/0031)."""
_CASCADE_MARGIN = 1.5
"""Least ratio of a result to a smaller one that is made from it."""
_QUALITY = 85
_TURNED = 5
_LEVELS_SIDE = 256
WHITE = (255, 255, 255)
"""Colour behind transparent pixels."""


@dataclass(frozen=True)
class Rendered:
    """A thumbnail, a JPEG in sRGB."""

    name: str
    width: int
    height: int
    data: bytes


def upright_size(header: Header) -> tuple[int, int]:
    """Return width and height as a viewer sees the picture."""
    turned = header.orientation >= _TURNED
    return (header.height, header.width) if turned else (header.width, header.height)


def render_thumbnails(
    file: PhotoBytes, header: Header, plans: Sequence[ThumbnailPlan], *, clean: bool
) -> list[Rendered]:
    """Decode the photograph once, and return the thumbnails in the order of their plans.

    Without plans, the photograph is decoded all the same: a damaged one is never stored.
    Raises MasterRejected, of the codes of damaged files.
    """
    picture = find_picture(file, header.format, MasterLimits(pixels=sys.maxsize, bytes=0))
    check_complete(file, picture)
    largest = max((plan.scale for plan in plans), default=0.0)
    decoder = Decoder(picture)
    try:
        if header.format == "jpeg":
            room = _decode_jpeg(file, picture.views[0], header, largest)
        else:
            reduction = int(1 / (largest * _MARGINS[4])) if largest else 1
            opened = decoder.open()
            opened = opened.shrink(reduction, reduction) if reduction > 1 else opened
            room = _Darkroom(header, opened)
        return room.make(plans, clean=clean)
    except pyvips.Error as error:
        decoder.raise_failure()
        raise damaged_file(reason_of(error)) from error


def _decode_jpeg(
    file: PhotoBytes, view: MasterBytes, header: Header, largest: float
) -> "_Darkroom":
    """Decode a JPEG, reduced by its decoder as far as the largest scale allows.

    A warning may be about a trifle in its markers: then the pixels are judged behind a clean head,
    which takes a copy of all bytes. Raises pyvips.Error.
    """
    fitting = (one for one, margin in _MARGINS.items() if one * largest * margin <= 1)
    # Asked to reduce a lossless JPEG, libvips 8.18.7 returns its upper left corner.
    shrink = 1 if header.compression == LOSSLESS else next(fitting, 1)
    try:
        return _Darkroom(header, _open_jpeg(file.data, shrink))
    except pyvips.Error:
        assert isinstance(view, Prefixed)
        clean = b"".join((view.head, memoryview(file.data)[view.start :]))
        return _Darkroom(header, _open_jpeg(clean, shrink))


def _open_jpeg(data: PhotoData, shrink: int) -> Any:
    # Of a buffer, pyvips would make a copy.
    source = pyvips.Source.new_from_memory(data)
    return load(source, "jpeg", fail_on="warning", shrink=shrink)


class _Darkroom:
    """The decoded picture, and the results that smaller ones are made from."""

    def __init__(self, header: Header, opened: Any) -> None:
        self._header = header
        self._width, _ = upright_size(header)
        # The colours of transparent pixels would bleed into others.
        self._converts_first = header.extra_bands > 0
        image = to_srgb(opened, header, WHITE) if self._converts_first else opened
        image = image.copy_memory()
        self._base = image.autorot() if header.orientation != 1 else image
        self._results: list[Any] = []

    def make(self, plans: Sequence[ThumbnailPlan], *, clean: bool) -> list[Rendered]:
        """Make the thumbnails, the largest first."""
        levels = find_levels(self._small()) if plans and clean else None
        made: dict[str, Rendered] = {}
        for plan in sorted(plans, key=lambda plan: -plan.scale):
            image = self._make(plan)
            final = clean_up(image, levels) if levels else image
            data = final.jpegsave_buffer(Q=_QUALITY, keep="none")
            made[plan.name] = Rendered(plan.name, image.width, image.height, bytes(data))
        return [made[plan.name] for plan in plans]

    def _make(self, plan: ThumbnailPlan) -> Any:
        """Make one from the smallest result that is large enough, or from the whole."""
        least = self._width * plan.scale * _CASCADE_MARGIN
        source = min(
            (one for one in self._results if one.width >= least),
            key=lambda one: one.width,
            default=self._base,
        )
        image = _cut(source, plan, source.width / self._width)
        if source is self._base:
            image = self._to_srgb(image)
        image = image.copy_memory()
        if (plan.box.x, plan.box.y, plan.box.width) == (0, 0, self._width):
            self._results.append(image)
        return image

    def _small(self) -> Any:
        factor = max(1, self._base.width // _LEVELS_SIDE)
        return self._to_srgb(self._base.shrink(factor, factor))

    def _to_srgb(self, image: Any) -> Any:
        """Convert what is left of the pixels, which are fewer than there were."""
        return image if self._converts_first else to_srgb(image, self._header, WHITE)


def _cut(source: Any, plan: ThumbnailPlan, ratio: float) -> Any:
    """Return the plan's region of a picture at `ratio` of full size, in the plan's size."""
    box = plan.box
    left, top = round(box.x * ratio), round(box.y * ratio)
    width = min(max(round(box.width * ratio), 1), source.width - left)
    height = min(max(round(box.height * ratio), 1), source.height - top)
    if (width, height) != (source.width, source.height):
        source = source.crop(left, top, width, height)
    if (width, height) == (plan.width, plan.height):
        return source
    return source.resize(plan.width / width, vscale=plan.height / height, kernel="lanczos3")
