"""A GIF's blocks up to its first picture, and to its end. Source: GIF89a, 17 to 27."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from vitrine.ingest import rejections
from vitrine.ingest.inspect.curator_notes import MasterNote, animation_stilled
from vitrine.ingest.inspect.formats.gif_codes import CODES_PER_SECOND, check_codes
from vitrine.ingest.inspect.formats.picture_format import PictureFormat
from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.store.ranged import read_exactly

_SCREEN_BYTES = 13
_EXTENSION, _PICTURE, _TRAILER = 0x21, 0x2C, 0x3B
_APPLICATION, _LOOPS = 0xFF, (b"NETSCAPE2.0", b"ANIMEXTS1.0")
_PALETTE_FLAG = 0x80
_DECODER_BYTES_PER_PIXEL = 12
"""The decoder's picture, the last one of an animation, and libvips' copy, four samples each."""
_FEWEST_PARTS, _MIN_PART_BYTES = 100_000, 64
"""Sound files have parts of 255 bytes, but for the last of a block."""
_AT_ONCE_BYTES = 32 * 1024


@dataclass(frozen=True)
class GifPicture:
    """The first picture on its screen, which is transparent around it."""

    picture_format: PictureFormat
    area: tuple[int, int, int, int]
    """Left, top, width and height of the first picture, pixels."""


def read_gif(file: MasterBytes, most_pixels: int) -> GifPicture:
    """Read the GIF's picture format: its whole screen, enlarged to hold the first picture.

    Browsers enlarge it so. Raises MasterRejected.
    """
    screen = read_exactly(file, 0, _SCREEN_BYTES)
    if len(screen) < _SCREEN_BYTES:
        raise rejections.damaged_file(f"the file ends after {file.size:,} bytes")
    blocks = _Blocks(file)
    if not blocks.skip_to_picture():
        raise rejections.damaged_file("the GIF has no picture")
    area = blocks.read_area()
    left, top, *size = area
    width, height = (
        max(side, end)
        for side, end in zip(
            struct.unpack_from("<HH", screen, 6), (left + size[0], top + size[1]), strict=True
        )
    )
    if not all(size):
        raise rejections.unreadable_file(f"its header says {size[0]} x {size[1]} pixels")
    if width * height > most_pixels:
        raise rejections.too_many_pixels(width, height, most_pixels)
    picture_format = PictureFormat(
        width=width,
        height=height,
        colour="rgb",
        bits=8,
        compression="LZW",
        extra_bands=1,
        alpha=0,
        decoder_bytes=width * height * _DECODER_BYTES_PER_PIXEL + 2 * file.size,
        decoder_seconds=width * height / CODES_PER_SECOND,
        notes=_animation_notes(looped=blocks.looped),
    )
    return GifPicture(picture_format, area)


def check_gif(file: MasterBytes) -> None:
    """Raise MasterRejected, damaged-file, for a first picture or a file that is not whole."""
    blocks = _Blocks(file)
    blocks.skip_to_picture()
    pixels, colours, smallest_code = blocks.enter_picture()
    parts = blocks.read_parts()
    check_codes(parts, smallest_code, pixels, colours)
    for _ in parts:
        pass  # behind the code that ends the picture
    while blocks.skip_to_picture():
        blocks.enter_picture()
        blocks.skip_parts()


def _animation_notes(*, looped: bool) -> tuple[MasterNote, ...]:
    return (animation_stilled("GIF"),) if looped else ()


class _Blocks:
    """Walks over the blocks. Raises MasterRejected where the file ends or is damaged."""

    def __init__(self, file: MasterBytes) -> None:
        self._file = file
        self._buffer, self._start = b"", 0
        self._at = _SCREEN_BYTES
        self._parts_left = _FEWEST_PARTS + file.size // _MIN_PART_BYTES
        self.looped = False
        """An animation has been announced."""
        self._colours = self._skip_palette(self._byte_at(_SCREEN_BYTES - 3))

    def skip_to_picture(self) -> bool:
        """Go to the next picture, and return False at the end."""
        while (mark := self._byte_at(self._at)) != _PICTURE:
            if mark == _TRAILER:
                return False
            if mark != _EXTENSION:
                raise rejections.damaged_file(f"byte {self._at:,} of the GIF begins no block")
            label = self._byte_at(self._at + 1)
            self._at += 2
            name = read_exactly(self._file, self._at + 1, 11) if label == _APPLICATION else b""
            self.looped = self.looped or name in _LOOPS
            self.skip_parts()
        return True

    def read_area(self) -> tuple[int, int, int, int]:
        """Return left, top, width and height of the picture."""
        head = read_exactly(self._file, self._at, 10)
        if len(head) < 10:
            raise rejections.damaged_file(f"the GIF ends after {self._file.size:,} bytes")
        left, top, width, height = struct.unpack_from("<4H", head, 1)
        return left, top, width, height

    def enter_picture(self) -> tuple[int, int, int]:
        """Go to the codes of the picture; return its pixels, colours and bits of the first code."""
        _, _, width, height = self.read_area()
        flags = self._byte_at(self._at + 9)
        self._at += 10
        colours = self._skip_palette(flags) or self._colours
        smallest_code = self._byte_at(self._at)
        self._at += 1
        return width * height, colours, smallest_code

    def read_parts(self) -> Iterator[bytes]:
        """Yield the parts of a block, and go behind it."""
        while length := self._part_length():
            self._byte_at(self._at + length)
            part = read_exactly(self._file, self._at + 1, length)
            self._at += 1 + length
            yield part
        self._at += 1

    def skip_parts(self) -> None:
        """Go behind the parts of a block."""
        while length := self._part_length():
            self._at += 1 + length
        self._at += 1

    def _part_length(self) -> int:
        self._parts_left -= 1
        if self._parts_left < 0:
            raise rejections.too_expensive_to_read("a GIF in too many parts")
        return self._byte_at(self._at)

    def _skip_palette(self, flags: int) -> int:
        """Go behind the palette that the flags announce, and return its colours."""
        colours = 2 << (flags & 7) if flags & _PALETTE_FLAG else 0
        self._at += 3 * colours
        return colours

    def _byte_at(self, position: int) -> int:
        if not self._start <= position < self._start + len(self._buffer):
            self._buffer, self._start = self._file.read_at(position, _AT_ONCE_BYTES), position
        if not self._buffer:
            raise rejections.damaged_file(f"the GIF ends after {self._file.size:,} bytes")
        return self._buffer[position - self._start]
