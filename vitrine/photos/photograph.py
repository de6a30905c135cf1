"""A photograph as it came: judged from its bytes and its header, before it is decoded."""

import hashlib
from dataclasses import dataclass

from vitrine.api.problems import Problem
from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.header import Header, read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format
from vitrine.photos.admission import MAX_SECONDS, DecodingCost, estimate_cost
from vitrine.photos.photo_bytes import PhotoBytes, PhotoData
from vitrine.photos.polyglots import find_second_format
from vitrine.photos.services import PhotoServices

MEDIA_TYPES = {
    "jpeg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "avif": "image/avif",
}
"""Media types of the formats that this door takes: those of cameras, telephones and browsers."""
EXTENSIONS = {"jpeg": "jpg", "png": "png", "webp": "webp", "avif": "avif"}
_ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg"}
_NO_IMAGE = frozenset({"empty-file", "not-an-image", "unsupported-format"})
_EXPENSIVE = frozenset(
    {
        *("too-large", "needs-too-much-memory", "needs-too-much-disk"),
        *("too-expensive-to-read", "too-many-scans"),
    }
)


@dataclass(frozen=True, kw_only=True)
class Photograph:
    """A photograph that may be decoded."""

    file: PhotoBytes
    header: Header
    checksum: str
    """SHA-256 in hex."""
    cost: DecodingCost

    @property
    def media_type(self) -> str:
        """The media type that its bytes have."""
        return MEDIA_TYPES[self.header.format]

    @property
    def extension(self) -> str:
        """The extension of its master's key."""
        return EXTENSIONS[self.header.format]


def inspect_photograph(services: PhotoServices, data: PhotoData, media_type: str) -> Photograph:
    """Judge the bytes of a photograph. Raises Problem, MasterRejected."""
    file = PhotoBytes(data)
    file_format = detect_format(data[:PREFIX_BYTES])
    if file_format not in MEDIA_TYPES:
        raise Problem("photo-not-an-image", f"It is a file of the format {file_format}.")
    if media_type and _ALIASES.get(media_type, media_type) != MEDIA_TYPES[file_format]:
        raise Problem(
            "photo-mislabelled", f"It says {media_type!r:.60}, and is {MEDIA_TYPES[file_format]}."
        )
    second = find_second_format(data)
    if second:
        raise Problem("photo-ambiguous", f"It can be opened as {second} as well.")
    limits = MasterLimits(pixels=services.most_pixels, bytes=services.most_bytes)
    header = read_header(file, file_format, limits)
    cost = estimate_cost(header, file.size)
    if cost.seconds > MAX_SECONDS or cost.memory_bytes > services.most_memory_bytes:
        raise Problem(
            "photo-too-expensive",
            f"Decoding it would take {cost.seconds:.1f} s and {cost.memory_bytes >> 20:,} MiB.",
        )
    checksum = hashlib.sha256(data).hexdigest()
    return Photograph(file=file, header=header, checksum=checksum, cost=cost)


def problem_of_rejection(error: MasterRejected) -> Problem:
    """Return what a rejection of a master is at this door."""
    rejection = error.rejection
    code = "photo-damaged"
    if rejection.code in _NO_IMAGE:
        code = "photo-not-an-image"
    elif rejection.code in _EXPENSIVE:
        code = "photo-too-expensive"
    return Problem(code, f"{rejection.sentence} ({rejection.value:.200})")
