"""Every rejection with example values, and what a curator can do about it."""

import re
from collections.abc import Callable
from functools import cache

from vitrine.errors import MasterRejected
from vitrine.identify.identifier import normalise_identifier
from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.ingest import rejections


def _rejection_of(give_identifier: Callable[[], object]) -> MasterRejected:
    try:
        give_identifier()
    except MasterRejected as error:
        return error
    raise ValueError("the example is not rejected")


_OTHER_NAME = (
    "Upload it under another name, or give its identifier with it; [keys](keys.md) shows how "
    "names become identifiers."
)

EXAMPLES: tuple[tuple[MasterRejected, str], ...] = (
    (rejections.empty_file(), "Upload the file again."),
    (rejections.not_an_image(b"Dear colleague"), "Upload an image."),
    (rejections.unsupported_format("HEIC"), "Export a TIFF, and upload that."),
    (rejections.unflattened_picture(), "Save it again with its flattened picture."),
    (
        rejections.unsupported_compression("Zstandard"),
        "Save the TIFF uncompressed, or with LZW or deflate.",
    ),
    (rejections.unsupported_colour("LogLuv"), "Export the image as RGB or gray."),
    (
        rejections.high_dynamic_range("PQ, ITU-R BT.2100"),
        "Tone-map the image, and export it as sRGB or Display P3.",
    ),
    (rejections.unsupported_depth("12-bit samples in rgb colours"), "Export it with 16 bits."),
    (
        rejections.values_out_of_range(0.42),
        "Tone-map the image, or scale its values to 0 to 1, and export it with 16 bits.",
    ),
    (
        rejections.too_many_pixels(300_000, 200_000, 50_000_000_000),
        "Upload a smaller image, or ask for a higher limit (`VITRINE_MAXIMUM_MEGAPIXELS`).",
    ),
    (
        rejections.file_too_large(9 << 30, 8 << 30),
        "Compress the file, or ask for a higher limit (`VITRINE_MAXIMUM_MASTER_MEBIBYTES`).",
    ),
    (
        rejections.too_many_pages(1_000),
        "Upload each page as a master of its own, or ask for a higher limit "
        "(`VITRINE_MAXIMUM_PAGES`).",
    ),
    (
        rejections.needs_too_much_memory(12 << 30, 8 << 30),
        "Save it as a TIFF in tiles, or ask for a higher limit "
        "(`VITRINE_MAXIMUM_MEMORY_MEBIBYTES`).",
    ),
    (
        rejections.needs_too_much_disk(12 << 30, 10 << 30),
        "Save it compressed, or ask for a higher limit (`VITRINE_MAXIMUM_DISK_MEBIBYTES`).",
    ),
    (
        rejections.unreadable_file("the JPEG has no frame header"),
        "Open it in an image program and save it again.",
    ),
    (
        rejections.damaged_file("tag 273 lies beyond the end of the file"),
        "Upload it again; if that does not help, look for an undamaged copy.",
    ),
    (
        rejections.cut_off_file(3_000_000, 21_600_010),
        "Upload it again; if its original is as short, look for a whole copy.",
    ),
    (
        rejections.tiles_too_large(16_384, 64),
        "Save it with tiles of up to 2,048 pixels, or in strips.",
    ),
    (
        rejections.too_many_scans(200),
        "Save it again as a baseline JPEG; no pixel is lost if the program can do so losslessly "
        "(`jpegtran` without `-progressive`).",
    ),
    (
        rejections.too_expensive_to_read("more than 100,000 segments between its pixels"),
        "Open it in an image program and save it again.",
    ),
    (
        _rejection_of(lambda: normalise_identifier("info.json")),
        _OTHER_NAME,
    ),
    (_rejection_of(lambda: IdentifierRule().identifier("pages/")), _OTHER_NAME),
    (
        rejections.identifier_taken("nachtwache", "a/nachtwache.tif"),
        "Give this master another identifier, or replace the picture of the other one with "
        "`vitrine image replace`.",
    ),
    (
        rejections.identifier_owned("001", "prints", "maps", "maps/001.tif"),
        "Give this image another identifier. Take the identifier over only if the other collection "
        "does not need it any more.",
    ),
    (
        rejections.identifier_withdrawn("nachtwache", "Withdrawn at the wish of the estate."),
        "Restore the image if it may be shown again. For another picture choose another "
        "identifier, or replace the withdrawn image for good: `vitrine ingest FILE --identifier "
        "ID --replace-withdrawn`, `vitrine image rename OLD ID --replace-withdrawn`.",
    ),
    (
        rejections.identifier_redirects("nachtwache", "SK-C-5"),
        "Choose another identifier, or end the redirect: `vitrine ingest FILE --identifier ID "
        "--replace-redirect`.",
    ),
    (rejections.master_deleted("a/nachtwache.tif"), "Upload it again if that was not meant."),
    (
        rejections.wrong_result("colours", "17 of 255 at 320, 64"),
        "Tell the operators: this is a fault of the conversion, not of the file.",
    ),
)
"""One example of every rejection, with what to do about it."""


def advice_about(code: str) -> str:
    """Return what docs/reference/rejections.md advises a curator to do; "" for another code."""
    return _advice().get(code, "")


@cache
def _advice() -> dict[str, str]:
    by_code: dict[str, dict[str, None]] = {}
    for error, advice in EXAMPLES:
        by_code.setdefault(error.rejection.code, {})[_without_marks(advice)] = None
    return {code: " ".join(advice) for code, advice in by_code.items()}


def _without_marks(markdown: str) -> str:
    return re.sub(r"\[[^]]*\]\(([^)]*)\)", r"docs/reference/\1", markdown).replace("`", "")
