"""The pixels of a JPEG 2000, decoded by OpenJPEG as a whole.

OpenJPEG gets the codestream only: colours, palettes and channels are applied here, as the header
says.
"""

import os
from typing import Any

import imagecodecs
import numpy as np
import pyvips

from vitrine.ingest import rejections
from vitrine.ingest.inspect.formats.jp2_format import Jp2Picture
from vitrine.ingest.inspect.master_bytes import MasterBytes

_TO_RGB = [[1, 0, 1.402], [1, -0.344136, -0.714136], [1, 1.772, 0]]
"""RGB from Y, Cb and Cr. Source: sYCC, IEC 61966-2-1, amendment 1."""
_FORMATS = {8: "uchar", 16: "ushort"}


def decode_jp2(file: MasterBytes, picture: Jp2Picture) -> Any:
    """Decode the picture in its own colours, transparency last; it holds its pixels in memory.

    Raises MasterRejected with code damaged-file, or unreadable-file if the decoder sees another
    picture than we do.
    """
    stream = picture.codestream
    pixels = _decode_codestream(_read_codestream(file, stream.start, stream.length))
    shape = (stream.height, stream.width, stream.components)
    if pixels.shape != shape or pixels.dtype.itemsize != (1 if stream.bits <= 8 else 2):
        raise rejections.unreadable_file(
            f"{shape} pixels by the header, {pixels.shape} of {pixels.dtype} by the decoder"
        )
    return _apply_header(_as_image(pixels), picture)


def _read_codestream(file: MasterBytes, start: int, length: int) -> bytearray:
    """Read the codestream in one piece, without a second copy."""
    data = bytearray(length)
    filled = 0
    while filled < length:
        part = file.read_at(start + filled, length - filled)
        if not part:
            raise rejections.damaged_file(f"the file ends after {start + filled:,} bytes")
        data[filled : filled + len(part)] = part
        filled += len(part)
    return data


def _decode_codestream(data: bytearray) -> Any:
    try:
        pixels = imagecodecs.jpeg2k_decode(
            data, planar=False, numthreads=len(os.sched_getaffinity(0))
        )
    except (imagecodecs.Jpeg2kError, ValueError) as error:
        raise rejections.damaged_file(f"OpenJPEG: {error}") from error
    return pixels if pixels.ndim == 3 else pixels[..., np.newaxis]


def _as_image(pixels: Any) -> Any:
    height, width, bands = pixels.shape
    band_format = _FORMATS[pixels.dtype.itemsize * 8]
    return pyvips.Image.new_from_memory(pixels.data, width, height, bands, band_format)


def _apply_header(image: Any, picture: Jp2Picture) -> Any:
    bits, target_bits = picture.codestream.bits, picture.picture_format.bits
    if picture.palette:
        bits = 8
        table = b"".join(picture.palette)
        columns = len(picture.palette[0])
        image = image[0].maplut(
            pyvips.Image.new_from_memory(table, len(picture.palette), 1, columns, "uchar")
        )
    first, *others = [image[channel] for channel in picture.chosen]
    image = first.bandjoin(others) if others else first
    if picture.encoding == "sycc":
        image = _from_sycc(image, bits)
    if bits != target_bits:
        image = (image * ((2**target_bits - 1) / (2**bits - 1))).rint().cast(_FORMATS[target_bits])
    return image


def _from_sycc(image: Any, bits: int) -> Any:
    middle = 2 ** (bits - 1)
    colours = image.extract_band(0, n=3).linear([1, 1, 1], [0, -middle, -middle])
    colours = colours.recomb(pyvips.Image.new_from_array(_TO_RGB)).rint()
    highest = 2**bits - 1  # higher values are cut off; the cast cuts off those below 0
    colours = (colours > highest).ifthenelse(highest, colours).cast(image.format)
    return colours.bandjoin(image[3]) if image.bands > 3 else colours
