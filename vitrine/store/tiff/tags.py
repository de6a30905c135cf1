"""Names of the TIFF 6.0, Exif 2.32 and BigTIFF numbers that we read and write."""

from enum import IntEnum


class Tag(IntEnum):
    """Tags of a page, in the order of their numbers."""

    NEW_SUBFILE_TYPE = 254
    IMAGE_WIDTH = 256
    IMAGE_LENGTH = 257
    BITS_PER_SAMPLE = 258
    COMPRESSION = 259
    PHOTOMETRIC = 262
    FILL_ORDER = 266
    DOCUMENT_NAME = 269
    IMAGE_DESCRIPTION = 270
    MAKE = 271
    MODEL = 272
    STRIP_OFFSETS = 273
    ORIENTATION = 274
    SAMPLES_PER_PIXEL = 277
    ROWS_PER_STRIP = 278
    STRIP_BYTE_COUNTS = 279
    X_RESOLUTION = 282
    Y_RESOLUTION = 283
    PLANAR_CONFIGURATION = 284
    PAGE_NAME = 285
    T4_OPTIONS = 292
    T6_OPTIONS = 293
    RESOLUTION_UNIT = 296
    TRANSFER_FUNCTION = 301
    SOFTWARE = 305
    DATE_TIME = 306
    ARTIST = 315
    HOST_COMPUTER = 316
    PREDICTOR = 317
    WHITE_POINT = 318
    PRIMARY_CHROMATICITIES = 319
    COLOR_MAP = 320
    TILE_WIDTH = 322
    TILE_LENGTH = 323
    TILE_OFFSETS = 324
    TILE_BYTE_COUNTS = 325
    SUB_IFDS = 330
    INK_SET = 332
    EXTRA_SAMPLES = 338
    SAMPLE_FORMAT = 339
    TRANSFER_RANGE = 342
    JPEG_TABLES = 347
    YCBCR_COEFFICIENTS = 529
    YCBCR_SUBSAMPLING = 530
    YCBCR_POSITIONING = 531
    REFERENCE_BLACK_WHITE = 532
    XMP = 700
    RATING = 18246
    COPYRIGHT = 33432
    IPTC = 33723
    PHOTOSHOP = 34377
    EXIF_IFD = 34665
    ICC_PROFILE = 34675
    GPS_IFD = 34853
    INTEROPERABILITY_IFD = 40965
    DNG_VERSION = 50706


class Type(IntEnum):
    """Field types; 16 to 18 are BigTIFF's."""

    BYTE = 1
    ASCII = 2
    SHORT = 3
    LONG = 4
    RATIONAL = 5
    SBYTE = 6
    UNDEFINED = 7
    SSHORT = 8
    SLONG = 9
    SRATIONAL = 10
    FLOAT = 11
    DOUBLE = 12
    IFD = 13
    LONG8 = 16
    SLONG8 = 17
    IFD8 = 18


ITEM_BYTES: dict[int, int] = {
    Type.BYTE: 1,
    Type.ASCII: 1,
    Type.SHORT: 2,
    Type.LONG: 4,
    Type.RATIONAL: 8,
    Type.SBYTE: 1,
    Type.UNDEFINED: 1,
    Type.SSHORT: 2,
    Type.SLONG: 4,
    Type.SRATIONAL: 8,
    Type.FLOAT: 4,
    Type.DOUBLE: 8,
    Type.IFD: 4,
    Type.LONG8: 8,
    Type.SLONG8: 8,
    Type.IFD8: 8,
}
"""Bytes of one item of a type."""

WORD_BYTES: dict[int, int] = {**ITEM_BYTES, Type.RATIONAL: 4, Type.SRATIONAL: 4}
"""Bytes that swap together when the byte order changes: a rational is two words."""

EXIF_DATE_TIME_ORIGINAL = 0x9003
EXIF_COLOUR_SPACE = 0xA001
EXIF_WIDTH = 0xA002
EXIF_HEIGHT = 0xA003

DIRECTORY_POINTERS = frozenset({Tag.SUB_IFDS, Tag.EXIF_IFD, Tag.GPS_IFD, Tag.INTEROPERABILITY_IFD})
"""Tags whose value is the offset of another directory."""

STRUCTURAL = frozenset(
    {
        *range(254, 267),  # subfile type, size, depth, compression, photometric, halftone
        *(273, 274, 277, 278, 279, 280, 281, 284, 288, 289, 290, 291, 292, 293, 297),
        *(301, 317, 318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328, 330),
        *range(332, 348),  # inks, extra samples, sample format, JPEG tables and the like
        *range(400, 404),  # fax profiles
        *range(512, 533),  # old JPEG, YCbCr
        559,  # strip row counts
        *range(34016, 34033),  # TIFF/IT: how its run lengths and colours are stored
        Tag.ICC_PROFILE,  # the access master's colours are its own
        37724,  # Photoshop's layers
        *range(50706, 50709),  # a DNG's version and camera model would make it one
    }
)
"""Tags that say how pixels are stored, or point at data that is not copied."""
