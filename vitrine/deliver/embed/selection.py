"""The selection of metadata that images made from an access master may carry.

The report behind this service requires that relevant embedded metadata of the originals reach the
derivatives (requirement 6 of its section 1.4). The recipe says what is relevant. All of it is on
the first page of the access master.

Reading is synchronous through a `ReadRange`, so that it can run over blocks that may be missing:
everything that `read` raises passes through, except MalformedTiff. It reads at most
`BOUNDS.total_bytes` and never fails because of the file's content: what cannot be read is left
out, and logged.
"""

import logging
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from vitrine.deliver.embed import xmp
from vitrine.deliver.embed.carried_properties import (
    CARRIERS,
    gather_properties,
    properties_of_exif,
)
from vitrine.deliver.embed.exif import exif_block, keep_valid_fields
from vitrine.deliver.embed.srgb import SRGB
from vitrine.ingest.convert.metadata.carried_metadata import Metadata, select_tags
from vitrine.ingest.convert.metadata.metadata_sources import from_page
from vitrine.ingest.recipe import STANDARD
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import Bounds, Directory, ReadRange, TiffReader
from vitrine.store.tiff.tags import Tag

logger = logging.getLogger(__name__)

BOUNDS = Bounds(pages=1, value_bytes=96 << 10, total_bytes=512 << 10)
"""Limits of reading the metadata of one pyramid."""
_MIN_PROFILE_LENGTH, _SPACE, _SIGNATURE = 132, slice(16, 20), slice(36, 40)
_RGB_SPACE, _GRAY_SPACE = b"RGB ", b"GRAY"
_GRAY = (0, 1)
"""Photometric interpretations of one channel: white or black is zero."""


@dataclass(frozen=True)
class DerivativeMetadata:
    """The metadata that images made from one access master carry."""

    icc: bytes = b""
    """The profile of the pyramid's pixels. A renderer that converts them replaces it."""
    fields: Metadata = field(default_factory=Metadata)
    """Selected TIFF and EXIF fields, checked."""
    xmp: bytes = b""
    """A packet of the selected properties, whichever of XMP, IPTC and Photoshop holds them."""
    xmp_with_fields: bytes = b""
    """The same with `fields`, for formats that have no place for EXIF."""

    def profile(self, *, gray: bool) -> bytes:
        """Return the profile for an image in colour or in gray; b"" if it is for the other."""
        return self.icc if self.icc[_SPACE] == (_GRAY_SPACE if gray else _RGB_SPACE) else b""

    def exif(self, width: int, height: int, components: int = 3) -> bytes:
        """Return the EXIF of an image of this size in pixels; b"" if no field is known.

        `components` are 3 for YCbCr, 1 for gray.
        """
        srgb = self.icc == SRGB
        return exif_block(self.fields, width, height, srgb=srgb, components=components)


def read_derivative_metadata(
    read: ReadRange, size: int, *, name: str, tags: frozenset[int] = STANDARD.derivative_tags
) -> DerivativeMetadata:
    """Read the metadata for derivatives of the pyramid of `size` bytes; `name` is for the log.

    It reads the file's whole first page, so callers keep the result.
    """
    try:
        reader = TiffReader(read, size, BOUNDS)
        page = reader.first_page()
        icc, losses = read_profile(page)
        carried = from_page(reader, page, tags | CARRIERS | {Tag.EXIF_IFD})
    except MalformedTiff as error:
        log_losses(name, [str(error)])
        return DerivativeMetadata()
    log_losses(name, [*losses, *carried.losses])
    fields = keep_valid_fields(select_tags(carried, tags))
    properties = gather_properties(carried.entries)
    all_properties = properties_of_exif(fields.entries) | properties
    return DerivativeMetadata(
        icc, fields, xmp.write_packet(properties), xmp.write_packet(all_properties)
    )


def read_profile(page: Directory) -> tuple[bytes, list[str]]:
    """Return the ICC profile of a page's pixels, and sentences about what was wrong with it.

    A page in colour without a profile is sRGB, as browsers assume. b"" for a profile that cannot
    be read or is for other pixels: then the colours are unknown.
    """
    gray = page.integer(Tag.PHOTOMETRIC, -1) in _GRAY
    if Tag.ICC_PROFILE not in page:
        return b"" if gray else SRGB, []
    try:
        profile = page.raw(Tag.ICC_PROFILE)
    except MalformedTiff as error:
        return b"", [f"The colour profile was left out. {error}"]
    if len(profile) < _MIN_PROFILE_LENGTH or profile[_SIGNATURE] != b"acsp":
        return b"", ["The colour profile was left out. It is not an ICC profile."]
    [announced] = struct.unpack_from(">I", profile)
    if announced > len(profile) or profile[_SPACE] != (_GRAY_SPACE if gray else _RGB_SPACE):
        return b"", ["The colour profile was left out. It is cut off or for other pixels."]
    return profile[:announced], []


def log_losses(name: str, losses: Sequence[str]) -> None:
    """Log what could not be read of the file `name`."""
    if losses:
        logger.warning("The metadata of %s is delivered in part. %s", name, " ".join(losses))
