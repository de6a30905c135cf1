"""Open a master's picture strictly: whatever is wrong in it raises, now or at its pixels."""

from dataclasses import dataclass
from typing import Any

import pyvips

from vitrine.ingest import rejections
from vitrine.ingest.inspect.formats.avif_format import read_avif
from vitrine.ingest.inspect.formats.bmp_format import read_bmp
from vitrine.ingest.inspect.formats.gif_format import read_gif
from vitrine.ingest.inspect.formats.jp2_format import Jp2Picture, read_jp2
from vitrine.ingest.inspect.formats.jpeg_format import read_jpeg
from vitrine.ingest.inspect.formats.photoshop_format import read_photoshop
from vitrine.ingest.inspect.formats.picture_format import PictureFormat
from vitrine.ingest.inspect.formats.png_format import read_png
from vitrine.ingest.inspect.formats.tiff_picture import read_tiff
from vitrine.ingest.inspect.formats.tiff_strips import Strips
from vitrine.ingest.inspect.formats.webp_format import read_webp
from vitrine.ingest.inspect.jp2_pixels import decode_jp2
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import BoundedBytes, MasterBytes
from vitrine.ingest.inspect.vips import RangedSources, load

_CLEAN = frozenset({"tiff", "jpeg", "photoshop", "bmp"})
"""Formats whose directory or markers we rewrite, so that every warning is about pixels. libvips
(8.18.7) shows TIFF tiles black that cannot be decoded, unless warnings count."""
_READERS = {"png": read_png, "webp": read_webp, "avif": read_avif}
"""Readers of formats that libvips decodes as they are."""
_OPAQUE, _RGB_BANDS = 255, 3
_OPAQUE_IF_ALL_IS = frozenset({"gif", "webp"})
"""Formats of which libvips drops a transparency that no pixel makes use of."""


@dataclass(frozen=True)
class Picture:
    """The picture in a master, and the bytes from which it is decoded."""

    picture_format: PictureFormat
    file_format: str
    views: list[MasterBytes]
    """One file, or one for each plane."""
    deflated: Strips | None = None
    """Strips or tiles whose checksums must be verified."""
    tolerates_warnings: bool = False
    """The decoder warns of what it decodes rightly; of damage it does more than warn."""
    tiles_across: int = 0
    """Tiles in a row if each tile is a view, plane by plane; 0 if not."""
    extra_rows: int = 0
    """Rows of the views below the picture."""
    area: tuple[int, int, int, int] | None = None
    """Left, top, width and height, if it lies on a transparent screen."""
    jp2: Jp2Picture | None = None
    """Set if OpenJPEG decodes the picture as a whole, not libvips row by row."""


def find_picture(file: MasterBytes, file_format: str, limits: MasterLimits) -> Picture:
    """Read the header with our own readers. Raises MasterRejected."""
    with BoundedBytes(file) as structure:
        return _find_picture(structure, file_format, limits)


def _find_picture(file: MasterBytes, file_format: str, limits: MasterLimits) -> Picture:
    if file_format == "tiff":
        tiff = read_tiff(file, limits.pages, limits.pixels)
        deflated = tiff.strips if tiff.picture_format.compression == "deflate" else None
        return Picture(
            tiff.picture_format,
            file_format,
            list(tiff.views),
            deflated,
            tolerates_warnings=tiff.old_lzw,
            tiles_across=tiff.tiles_across,
            extra_rows=tiff.strips.extra_rows,
        )
    if file_format == "jpeg":
        picture_format, view = read_jpeg(file, limits.pixels)
        return Picture(picture_format, file_format, [view])
    if file_format == "jp2":
        jp2 = read_jp2(file, limits.pixels)
        return Picture(jp2.picture_format, file_format, [file], jp2=jp2)
    if file_format == "photoshop":
        photoshop = read_photoshop(file, limits.pixels)
        return Picture(photoshop.picture_format, file_format, list(photoshop.views))
    if file_format == "bmp":
        bmp = read_bmp(file, limits.pixels)
        return Picture(bmp.picture_format, file_format, [bmp.view])
    if file_format == "gif":
        gif = read_gif(file, limits.pixels)
        return Picture(gif.picture_format, file_format, [file], area=gif.area)
    read = _READERS[file_format]
    return Picture(read(file, limits.pixels), file_format, [file])


class Decoder:
    """Opens pictures; keep it until the last pixel has been read: libvips reads through it."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._sources = [RangedSources(view) for view in picture.views]

    def open(self) -> Any:
        """Open the picture in its own colours, row by row; a JPEG 2000 is decoded as a whole.

        Raises pyvips.Error, MasterRejected if libvips sees another picture than we do.
        """
        if self._picture.jp2:
            return decode_jp2(self._picture.views[0], self._picture.jp2)
        expected = self._picture.picture_format
        planes = self._load_views()
        if self._picture.tiles_across:
            planes = self._join_tiles(planes)
        if self._picture.tiles_across or self._picture.extra_rows:
            planes = [plane.crop(0, 0, expected.width, expected.height) for plane in planes]
        image = planes[0].bandjoin(planes[1:]) if len(planes) > 1 else planes[0]
        if (image.width, image.height) != (expected.width, expected.height):
            raise rejections.unreadable_file(
                f"{expected.width} x {expected.height} pixels by the header, "
                f"{image.width} x {image.height} by the decoder"
            )
        return _place_picture(_arrange_samples(image, self._picture), self._picture)

    def check_padding(self) -> None:
        """Decode what `open` does not of tiles larger than the picture: damage shows there as well.

        Raises pyvips.Error.
        """
        if not self._picture.tiles_across:
            return
        height = self._picture.picture_format.height
        for plane in self._join_tiles(self._load_views()):
            if plane.height > height:
                plane.crop(0, height, plane.width, plane.height - height).avg()

    def _load_views(self) -> list[Any]:
        strict = self._picture.file_format in _CLEAN and not self._picture.tolerates_warnings
        fail_on = "warning" if strict else "error"
        return [
            load(sources(), self._picture.file_format, fail_on=fail_on) for sources in self._sources
        ]

    def _join_tiles(self, tiles: list[Any]) -> list[Any]:
        """Return the planes of a picture whose tiles were opened one by one, with their padding."""
        across = self._picture.tiles_across
        count = across * -(-self._picture.picture_format.height // tiles[0].height)
        return [
            pyvips.Image.arrayjoin(tiles[first : first + count], across=across)
            for first in range(0, len(tiles), count)
        ]

    def raise_failure(self) -> None:
        """Raise the error of a read, if one failed: then the master is not to blame."""
        for sources in self._sources:
            sources.raise_failure()


def _arrange_samples(image: Any, picture: Picture) -> Any:
    """Return red, green and blue in this order, and transparency where the header states it.

    A BMP has another order; of a palette of grays libvips makes one sample; what turns out opaque
    has no fourth one.
    """
    if picture.picture_format.colour == "rgb" and image.bands < _RGB_BANDS:
        gray, *others = image.bandsplit()
        image = gray.bandjoin([gray, gray, *others])
    if picture.file_format == "bmp":
        blue, green, red, *others = image.bandsplit()
        return red.bandjoin([green, blue, *others])
    if (
        picture.file_format in _OPAQUE_IF_ALL_IS
        and image.bands == _RGB_BANDS
        and picture.picture_format.alpha is not None
    ):
        return image.bandjoin(_OPAQUE)
    return image


def _place_picture(image: Any, picture: Picture) -> Any:
    """Return a picture that covers a part of a screen on it, transparent around the picture."""
    if picture.area is None or picture.area == (0, 0, image.width, image.height):
        return image
    left, top, *_ = picture.area
    return image.crop(*picture.area).embed(left, top, image.width, image.height)


def reason_of(error: pyvips.Error) -> str:
    """Return the last line that libvips wrote about `error`; never empty."""
    lines = [line.strip() for line in str(error.detail or "").splitlines()]
    text = next((line for line in reversed(lines) if line), "")
    return text or "the decoder found data that are not a picture"
