"""Every reason for which a master is refused: a stable code and a sentence for the curator."""

from vitrine.errors import MasterRejected, Rejection

MEGA = 1_000_000
MEBIBYTE = 1024 * 1024
READABLE = "TIFF, JPEG, PNG and WebP"


def empty_file() -> MasterRejected:
    """Zero bytes."""
    return _rejected("empty-file", "The file is empty.", "0 bytes")


def not_an_image(first_bytes: bytes) -> MasterRejected:
    """No known signature, whatever the file is called."""
    return _rejected(
        "not-an-image",
        f"The file is not an image: it does not begin as {READABLE} files do.",
        first_bytes[:16].decode("ascii", "backslashreplace"),
    )


def unsupported_format(name: str) -> MasterRejected:
    """A known kind of image that we cannot read."""
    return _rejected(
        "unsupported-format",
        f"{name} files cannot be converted; upload the image as one of {READABLE}.",
        name,
    )


def file_too_large(size: int, limit: int) -> MasterRejected:
    """More bytes than the setting allows."""
    return _rejected(
        "too-large",
        f"The file has {size // MEBIBYTE:,} MiB; the limit is {limit // MEBIBYTE:,} MiB.",
        f"{size} bytes",
    )


def too_many_pixels(width: int, height: int, limit: int) -> MasterRejected:
    """More pixels than the setting allows."""
    pixels = width * height / MEGA
    return _rejected(
        "too-large",
        f"The image has {pixels:,.1f} megapixels; the limit is {limit / MEGA:,.0f} megapixels.",
        f"{width} x {height}",
    )


def unsupported_colour(description: str) -> MasterRejected:
    """A colour model we do not convert."""
    return _rejected(
        "unsupported-colour",
        "The colours cannot be converted: gray, RGB, CMYK and 16-bit Lab images can.",
        description,
    )


def unsupported_depth(description: str) -> MasterRejected:
    """Samples that are neither 8 nor 16 bits."""
    return _rejected(
        "unsupported-depth",
        "The samples cannot be converted: images with 1, 8 or 16 bits per sample can.",
        description,
    )


def unreadable_file(reason: str) -> MasterRejected:
    """The signature is right, the header cannot be read."""
    return _rejected(
        "unreadable-file",
        "The file's header cannot be read: it is damaged, or of a kind that is not supported.",
        reason,
    )


def damaged_file(reason: str) -> MasterRejected:
    """The header is right, the pixels are not all there."""
    return _rejected(
        "damaged-file",
        "The file is cut off or damaged: its pixels cannot be read to the end. "
        "Export or upload it again.",
        reason,
    )


def identifier_taken(identifier: str, owner: str) -> MasterRejected:
    """Another master owns the identifier."""
    return _rejected(
        "identifier-taken",
        f'The identifier "{identifier}" belongs to another master, "{owner}". '
        "Upload under that key to replace it, or give this master another identifier.",
        identifier,
    )


def master_deleted(master_key: str) -> MasterRejected:
    """The master went away while it was being ingested."""
    return _rejected(
        "master-deleted", "The master was deleted before it was published.", master_key
    )


def wrong_result(what: str, value: str) -> MasterRejected:
    """The access master that was written is not the master's picture."""
    return _rejected(
        "conversion-differs",
        f"The converted image differs from the master in its {what}; it was not published.",
        value,
    )


def _rejected(code: str, sentence: str, value: str) -> MasterRejected:
    return MasterRejected(Rejection(code, sentence, value[:200]))
