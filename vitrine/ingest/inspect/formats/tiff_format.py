"""The picture of a TIFF that we convert, its format, and the dialects that we reject.

Source: TIFF 6.0; TIFF Technical Note 2 (JPEG); Adobe Photoshop TIFF Technical Notes (deflate,
float samples); the behaviour of libvips 8.18, which was tried for every row of these tables.
"""

from vitrine.ingest import rejections
from vitrine.ingest.inspect.curator_notes import (
    MasterNote,
    extra_samples_dropped,
    parts_left_out,
)
from vitrine.ingest.inspect.formats.picture_format import (
    COLOUR_BANDS,
    Colour,
    PictureFormat,
    Samples,
)
from vitrine.ingest.inspect.formats.tiff_file import size_of
from vitrine.ingest.inspect.formats.tiff_pages import choose_page
from vitrine.ingest.inspect.formats.tiff_stated_colours import read_colours
from vitrine.ingest.inspect.formats.tiff_strips import Strips, read_strips
from vitrine.store.tiff.reading import Directory, TiffReader
from vitrine.store.tiff.tags import Tag

COMPRESSIONS = {
    1: "none",
    2: "CCITT RLE",
    3: "CCITT Group 3",
    4: "CCITT Group 4",
    5: "LZW",
    7: "JPEG",
    8: "deflate",
    32773: "PackBits",
    32946: "deflate",
    50001: "WebP",
}
"""Compressions that the libvips of the Lambda layer decodes."""
_OTHER_COMPRESSIONS = {
    6: "old-style JPEG",
    32809: "ThunderScan",
    33003: "JPEG 2000",
    33005: "JPEG 2000",
    34661: "JBIG",
    34676: "SGI LogLuv",
    34712: "JPEG 2000",
    34887: "LERC",
    34892: "lossy JPEG (DNG)",
    34925: "LZMA",
    50000: "Zstandard",
    50002: "JPEG XL",
    52546: "JPEG XL",
}
JPEG = 7
_COLOURS: dict[int, tuple[Colour, Samples, frozenset[int]]] = {
    0: ("gray", "unsigned", frozenset({1, 2, 4, 8, 16})),
    1: ("gray", "unsigned", frozenset({1, 2, 4, 8, 16})),
    2: ("rgb", "unsigned", frozenset({8, 16})),
    3: ("rgb", "unsigned", frozenset({1, 2, 4, 8})),
    5: ("cmyk", "unsigned", frozenset({8, 16})),
    6: ("rgb", "unsigned", frozenset({8})),
    8: ("lab", "lab", frozenset({8, 16})),
    9: ("lab", "icc-lab", frozenset({8, 16})),
}
"""Photometric interpretation -> colours, samples, bits per sample."""
_OTHER_COLOURS = {
    4: "a transparency mask",
    10: "ITU Lab",
    32803: "raw sensor data",
    32844: "LogL",
    32845: "LogLuv",
    34892: "linear raw",
}
_UNSTATED = (
    "samples whose meaning the file does not say: it has no PhotometricInterpretation (tag 262)"
)
_ROWS_AT_ONCE = 128
"""libvips reads taller strips row by row."""
_PADDING_PIXELS_PER_SECOND = 20_000_000
"""Pixels per second of tiles that reach beyond the picture: decoded and thrown away."""
_MAX_PADDING_PIXELS, _MAX_PADDING_SHARE = 400_000_000, 4
_WHITE_IS_ZERO, _PALETTE, _YCBCR, _CMYK_INKS = 0, 3, 6, 1
_UNSIGNED, _SIGNED, _FLOAT, _UNDEFINED = 1, 2, 3, 4
_ASSOCIATED, _UNASSOCIATED = 1, 2


def find_largest(reader: TiffReader, most_pixels: int) -> tuple[PictureFormat, Directory, Strips]:
    """Find the largest picture of a TIFF. Raises MasterRejected, MalformedTiff."""
    chosen = choose_page(reader)
    page = chosen.directory
    width, height = size_of(page)
    if not width or not height:
        raise rejections.damaged_file(f"its header says {width} x {height} pixels")
    if width * height > most_pixels:
        raise rejections.too_many_pixels(width, height, most_pixels)
    compression = _name_compression(page)
    colour, samples, bits = _read_samples(page)
    stored = 1 if page.integer(Tag.PHOTOMETRIC, -1) == _PALETTE else COLOUR_BANDS[colour]
    extra, alpha, notes = _extra_samples(page, stored)
    associated = alpha is not None and page.integers(Tag.EXTRA_SAMPLES)[alpha] == _ASSOCIATED
    strips = _find_strips(reader, page, stored + extra, bits)
    if strips.padding_pixels > _MAX_PADDING_PIXELS + _MAX_PADDING_SHARE * width * height:
        raise rejections.tiles_too_large(strips.width, strips.height)
    [orientation, *_] = page.integers(Tag.ORIENTATION) or (1,)
    coloured = page if Tag.ICC_PROFILE in page else chosen.parent
    icc, made_icc, about_colours = read_colours(reader, coloured, colour, samples, bits)
    notes += about_colours
    if strips.surplus:
        notes += (parts_left_out(f"{strips.surplus} of {len(strips.offsets) + strips.surplus}"),)
    picture_format = PictureFormat(
        page=chosen.number,
        pages=chosen.pages,
        width=width,
        height=height,
        colour=colour,
        bits=32 if samples == "float" else max(bits, 8),
        samples=samples,
        compression=compression,
        extra_bands=extra,
        alpha=alpha,
        premultiplied=associated and planes_of(page) > 1,
        orientation=orientation if 1 <= orientation <= 8 else 1,
        icc=icc,
        made_icc=made_icc,
        decoder_bytes=_decoder_bytes(strips, compression, (stored + extra) * max(bits, 8) // 8),
        decoder_seconds=strips.padding_pixels / _PADDING_PIXELS_PER_SECOND,
        notes=notes + chosen.notes,
    )
    return picture_format, page, strips


def planes_of(page: Directory) -> int:
    """Return the number of planes that store the samples, 1 if samples are interleaved."""
    return (
        page.integer(Tag.SAMPLES_PER_PIXEL, 1)
        if page.integer(Tag.PLANAR_CONFIGURATION, 1) == 2
        else 1
    )


def _name_compression(page: Directory) -> str:
    number = page.integer(Tag.COMPRESSION, 1)
    if number not in COMPRESSIONS:
        raise rejections.unsupported_compression(
            _OTHER_COMPRESSIONS.get(number, f"method {number}")
        )
    return COMPRESSIONS[number]


def _read_samples(page: Directory) -> tuple[Colour, Samples, int]:
    photometric = page.integer(Tag.PHOTOMETRIC, -1)
    if photometric == -1:
        raise rejections.unsupported_colour(_UNSTATED)
    if photometric not in _COLOURS:
        name = _OTHER_COLOURS.get(photometric, f"photometric interpretation {photometric}")
        raise rejections.unsupported_colour(name)
    if photometric == _YCBCR and page.integer(Tag.COMPRESSION, 1) != JPEG:
        raise rejections.unsupported_colour("YCbCr without JPEG compression")
    if photometric == _YCBCR and planes_of(page) > 1:
        raise rejections.unsupported_colour("YCbCr with samples in separate planes")
    if page.integer(Tag.INK_SET, _CMYK_INKS) != _CMYK_INKS:
        raise rejections.unsupported_colour("inks other than cyan, magenta, yellow and black")
    colour, samples, depths = _COLOURS[photometric]
    bits = page.integers(Tag.BITS_PER_SAMPLE) or (1,)
    form = page.integers(Tag.SAMPLE_FORMAT) or (_UNSIGNED,)
    if len(set(bits)) > 1 or len(set(form)) > 1:
        raise rejections.unsupported_depth(f"samples of {bits} bits in one pixel")
    if form[0] == _FLOAT:
        # libvips does not invert float samples of a negative.
        if photometric in (1, 2) and bits[0] in (16, 32):
            return colour, "float", bits[0]
        raise rejections.unsupported_depth(f"{bits[0]}-bit float samples in {colour} colours")
    signed_lab = form[0] == _SIGNED and colour == "lab"
    if bits[0] not in depths or not (form[0] in (_UNSIGNED, _UNDEFINED) or signed_lab):
        signed = "signed " if form[0] == _SIGNED else ""
        raise rejections.unsupported_depth(f"{signed}{bits[0]}-bit samples in {colour} colours")
    return colour, samples, bits[0]


def _extra_samples(page: Directory, stored: int) -> tuple[int, int | None, tuple[MasterNote, ...]]:
    """Return their number, which one is transparency, and a note about those that are dropped.

    An unspecified sample is a saved selection or a spot colour (Photoshop writes them so), not
    transparency: flattening on it would erase the picture.
    """
    total = page.integer(Tag.SAMPLES_PER_PIXEL, 1)
    extra = total - stored
    if extra < 0:
        raise rejections.unsupported_colour(f"{total} samples per pixel instead of {stored}")
    if extra and page.integer(Tag.PHOTOMETRIC, -1) in (_PALETTE, _WHITE_IS_ZERO):
        raise rejections.unsupported_colour("a palette or a negative with extra samples")
    meanings = (*page.integers(Tag.EXTRA_SAMPLES), *(0,) * extra)[:extra]
    if any(meaning > _UNASSOCIATED for meaning in meanings):
        raise rejections.unsupported_colour(f"extra samples of types {meanings}")
    known = [
        number for number, meaning in enumerate(meanings) if meaning in (_ASSOCIATED, _UNASSOCIATED)
    ]
    alpha = known[0] if known else None
    dropped = extra - (alpha is not None)
    if not dropped:
        return extra, alpha, ()
    return extra, alpha, (extra_samples_dropped(f"{dropped} of {total} samples"),)


def _find_strips(reader: TiffReader, page: Directory, samples: int, bits: int) -> Strips:
    planes = planes_of(page)
    return read_strips(
        page,
        reader.size,
        planes=planes,
        bits_per_pixel=bits * samples // planes,
        compressed=page.integer(Tag.COMPRESSION, 1) != 1,
    )


def _decoder_bytes(strips: Strips, compression: str, pixel_bytes: int) -> int:
    """Return the decoder's memory.

    Measured: it holds compressed data up to twice, and decoded data unless read row by row.
    """
    held = 0 if compression == "none" else 2 * max(strips.byte_counts)
    if strips.oversized:
        # Each tile of a row is decoded on its own, as a strip.
        whole = strips.full_bytes if compression == "JPEG" else _ROWS_AT_ONCE * strips.row_bytes
        return strips.across * (held + whole)
    if strips.tiled or compression == "JPEG" or strips.height <= _ROWS_AT_ONCE:
        held += strips.image_width * strips.height * pixel_bytes
    return held
