"""Every reason for which a master is rejected: a stable code and a sentence for the curator."""

import unicodedata
from shlex import quote

from vitrine.errors import MasterRejected, Rejection
from vitrine.records import MASTER_DELETED
from vitrine.visible_text import escape_controls

MEGA = 1_000_000
MEBIBYTE = 1024 * 1024
READABLE = "TIFF, JPEG, JPEG 2000, PNG, WebP, AVIF, GIF, BMP or Photoshop"
_WAYS = {
    "HEIC": "On a Mac, open it in Preview and export it as TIFF; an iPhone takes JPEG if Settings, "
    "Camera, Formats is Most Compatible.",
    "PDF": "In Acrobat: File, Export To, Image, TIFF; then upload each page as a master.",
    "PostScript": "In Illustrator or Photoshop: File, Export, TIFF.",
    "Camera raw": "In Lightroom, Capture One or Camera Raw: File, Export, TIFF.",
    "Camera raw (DNG)": "In Lightroom, Capture One or Camera Raw: File, Export, TIFF.",
    "JPEG XL": "With the program djxl: djxl FILE.jxl FILE.png.",
    "JPEG XR": "In Photoshop or Windows Photos, save it as TIFF.",
    "DjVu": "With the program ddjvu: ddjvu -format=tiff FILE.djvu FILE.tif.",
    "GIMP": "In GIMP: File, Export As, TIFF.",
    "Video": "Export the frame that should be shown as TIFF or PNG.",
    "ZIP": "Unpack it, and upload the images in it.",
    "OpenEXR": "In Photoshop: Image, Mode, 16 Bits/Channel; then File, Export, TIFF.",
    "FITS": "In an astronomy program, stretch it and export a 16-bit TIFF.",
}
"""Ways to a readable file from each of those formats, by their name."""


def empty_file() -> MasterRejected:
    """Reject a file of zero bytes."""
    return _reject_master("empty-file", "The file is empty.", "0 bytes")


def not_an_image(first_bytes: bytes) -> MasterRejected:
    """Reject a file without a known signature, whatever its name."""
    return _reject_master(
        "not-an-image",
        f"The file is not an image: its first bytes are not those of {READABLE}.",
        escape_controls(first_bytes[:16].decode("ascii", "backslashreplace")),
    )


def unsupported_format(name: str) -> MasterRejected:
    """Reject an image of a known format that we cannot read."""
    return _reject_master(
        "unsupported-format",
        f"{name} files cannot be converted. "
        + _WAYS.get(name, f"Upload the image as one of {READABLE}."),
        name,
    )


def unflattened_picture() -> MasterRejected:
    """Reject a Photoshop file of layers only: how they blend is Photoshop's to say."""
    return _reject_master(
        "unflattened-picture",
        "The Photoshop file was saved without its flattened picture. In Photoshop: Preferences, "
        "File Handling, Maximize Compatibility: Always; then save it again, or export it as TIFF.",
        "layers only",
    )


def file_too_large(size: int, limit: int) -> MasterRejected:
    """Reject a file of more bytes than the setting allows."""
    return _reject_master(
        "too-large",
        f"The file has {size // MEBIBYTE:,} MiB; the limit is {limit // MEBIBYTE:,} MiB.",
        f"{size} bytes",
    )


def too_many_pixels(width: int, height: int, limit: int) -> MasterRejected:
    """Reject an image of more pixels than the setting allows."""
    pixels = width * height / MEGA
    return _reject_master(
        "too-large",
        f"The image has {pixels:,.1f} megapixels; the limit is {limit / MEGA:,.0f} megapixels.",
        f"{width} x {height}",
    )


def unsupported_colour(description: str) -> MasterRejected:
    """Reject a colour model that we do not convert."""
    return _reject_master(
        "unsupported-colour",
        f"The colours of this file cannot be converted ({description}). Export the image as RGB "
        "or gray.",
        description,
    )


def high_dynamic_range(transfer: str) -> MasterRejected:
    """Reject brightness beyond that of paper, which 8 bits of sRGB cannot show."""
    return _reject_master(
        "high-dynamic-range",
        f"The image is high dynamic range ({transfer}); which of its brightness a viewer should "
        "show is not known. Export it in standard dynamic range, as sRGB or Display P3.",
        transfer,
    )


def unsupported_depth(description: str) -> MasterRejected:
    """Reject samples that none of our decoders reads."""
    return _reject_master(
        "unsupported-depth",
        "The depth of the samples is not supported: 8 and 16 bits per sample are, for some "
        "colours also 1, 2 and 4 bits and floating point (16 or 32 bits). Export the image with "
        "8 or 16 bits.",
        description,
    )


def unsupported_compression(name: str) -> MasterRejected:
    """Reject a compression that the libvips of our layer cannot read."""
    return _reject_master(
        "unsupported-compression",
        f"The pixels are compressed with a method that cannot be read here: {name}. "
        "Save the image uncompressed, or with LZW or deflate compression.",
        name,
    )


def values_out_of_range(share: float) -> MasterRejected:
    """Reject floating-point samples that do not lie between black and white."""
    return _reject_master(
        "values-out-of-range",
        "The floating-point values of the image do not lie between 0 (black) and 1 (white); "
        "how bright they should look is not known. Export the image with 8 or 16 bits.",
        f"{share:.1%} of the pixels",
    )


def too_many_pages(limit: int) -> MasterRejected:
    """Reject more pages than the setting allows."""
    return _reject_master(
        "too-many-pages",
        f"The file has more than {limit:,} pages; upload its pages as masters of their own.",
        f"more than {limit} pages",
    )


def needs_too_much_memory(needed: int, limit: int) -> MasterRejected:
    """Reject an image whose conversion would not fit into memory."""
    return _reject_master(
        "needs-too-much-memory",
        f"Converting the image would need {needed // MEBIBYTE:,} MiB of memory; "
        f"the limit is {limit // MEBIBYTE:,} MiB. "
        "Save it as a TIFF in tiles or in strips of a few rows, not interlaced or progressive.",
        f"{needed} bytes",
    )


def needs_too_much_disk(needed: int, limit: int) -> MasterRejected:
    """Reject an image whose conversion would not fit on the scratch disk."""
    return _reject_master(
        "needs-too-much-disk",
        f"Converting the image would need {needed // MEBIBYTE:,} MiB of scratch disk; "
        f"the limit is {limit // MEBIBYTE:,} MiB. Save it compressed, or smaller.",
        f"{needed} bytes",
    )


def unreadable_file(reason: str) -> MasterRejected:
    """Reject a file whose signature is right but whose header cannot be read."""
    return _reject_master(
        "unreadable-file",
        "The file's header cannot be read: it is damaged, or its format is not supported.",
        reason,
    )


def damaged_file(reason: str) -> MasterRejected:
    """Reject a file whose header is right but whose pixels are incomplete or damaged."""
    return _reject_master(
        "damaged-file",
        "The file is cut off or damaged: its pixels cannot be read to the end. "
        "Export or upload it again.",
        reason,
    )


def cut_off_file(arrived: int, whole: int) -> MasterRejected:
    """Reject a file of `arrived` bytes that by its own account has `whole` bytes, or more."""
    return damaged_file(
        f"{100 * arrived // whole}% of the file arrived: {arrived:,} of {whole:,} bytes"
    )


def tiles_too_large(width: int, height: int) -> MasterRejected:
    """Reject a TIFF of very many tiles that no decoder of ours takes."""
    return _reject_master(
        "tiles-too-large",
        f"The TIFF is stored in many tiles of {width:,} x {height:,} pixels, which cannot be "
        "decoded. Save it with tiles of up to 2,048 pixels, or in strips.",
        f"{width} x {height}",
    )


def too_many_scans(limit: int) -> MasterRejected:
    """Reject a JPEG that would be decoded for minutes, since each scan covers all its pixels."""
    return _reject_master(
        "too-many-scans",
        f"The JPEG has more than {limit:,} scans, which would take too long to decode. "
        "Save it as a baseline JPEG (not progressive), or as a TIFF.",
        f"more than {limit} scans",
    )


def too_expensive_to_read(what: str) -> MasterRejected:
    """Reject a file whose structure takes far more work than any image program causes."""
    return _reject_master(
        "too-expensive-to-read",
        "Reading the file would take far longer than the size of its picture explains: it is cut "
        "into too many pieces, or they overlap. Open it in an image program and save it again.",
        what,
    )


def identifier_owned(identifier: str, owner: str, other: str, key: str) -> MasterRejected:
    """Reject a master whose identifier belongs to the collection `owner`; it is of `other`."""
    whose = f'the collection "{other}"' if other else "no collection"
    return _reject_master(
        "identifier-taken",
        f'The identifier "{identifier}" belongs to the collection "{owner}", and the master '
        f'"{key}" to {whose}. Give this image another identifier, or let its collection take that '
        f'one over with "vitrine collection publish FILE --take-over {quote(identifier)}".',
        identifier,
    )


def identifier_taken(identifier: str, owner: str, key: str = "") -> MasterRejected:
    """Reject a master whose identifier belongs to another one, `owner`; `key` is its own."""
    if key and unicodedata.normalize("NFC", key) == unicodedata.normalize("NFC", owner):
        form = "decomposed (NFD)" if unicodedata.is_normalized("NFC", key) else "composed (NFC)"
        return _reject_master(
            "identifier-taken",
            f'The identifier "{identifier}" belongs to a master of the same name, spelt otherwise: '
            f"its accents are {form} in Unicode. Upload the file with `vitrine ingest`, which "
            "spells names in one way, or delete that master first.",
            identifier,
        )
    return _reject_master(
        "identifier-taken",
        f'The identifier "{identifier}" belongs to another master, "{owner}". '
        f'To replace its picture, use "vitrine image replace {quote(identifier)} FILE"; or give '
        "this master an identifier of its own, with "
        f'"vitrine ingest FILE --identifier {quote(identifier + "-2")}".',
        identifier,
    )


def identifier_withdrawn(identifier: str, reason: str) -> MasterRejected:
    """Reject a master whose identifier a curator withdrew."""
    return _reject_master(
        "identifier-withdrawn",
        f'The image "{identifier}" was withdrawn by a curator; no upload shows it again. To show '
        f"it, run: vitrine image restore {quote(identifier)}. If this is another picture, give it "
        "another identifier.",
        reason,
    )


def identifier_redirects(identifier: str, target: str) -> MasterRejected:
    """Reject a master whose identifier redirects to another master's image."""
    return _reject_master(
        "identifier-redirects",
        f'"{identifier}" redirects to "{target}": its citations would show another picture. Give '
        "this master another identifier.",
        target,
    )


def master_deleted(master_key: str) -> MasterRejected:
    """Reject a master that was deleted while it was ingested."""
    return _reject_master(
        MASTER_DELETED, "The master was deleted before it was published.", master_key
    )


def wrong_result(what: str, value: str) -> MasterRejected:
    """Reject a master whose access master shows something else."""
    return _reject_master(
        "conversion-differs",
        f"The converted image differs from the master in its {what}; it was not published.",
        value,
    )


def _reject_master(code: str, sentence: str, value: str) -> MasterRejected:
    return MasterRejected(Rejection(code, sentence, value[:200]))
