"""What may leave the access master with an image made from it, read from its first page.

The report behind this service asks that relevant embedded metadata of the originals reach the
derivatives (requirement 6 of its section 1.4). What is relevant says the recipe.

Reading is synchronous through a `ReadRange`, so that it can run over blocks that may be missing:
whatever `read` raises comes through, unless it is a MalformedTiff. It costs at most
`BOUNDS.total_bytes` and never fails by what the file holds: what cannot be read is left out, and
said in the log.
"""

import logging
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from vitrine.deliver.embed import xmp
from vitrine.deliver.embed.exif import exif_block, presentable
from vitrine.deliver.embed.srgb import SRGB
from vitrine.ingest.convert.metadata.carried_metadata import Metadata, select
from vitrine.ingest.convert.metadata.metadata_sources import from_page
from vitrine.ingest.recipe import STANDARD
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import Bounds, Directory, ReadRange, TiffReader
from vitrine.store.tiff.tags import Tag

logger = logging.getLogger(__name__)

BOUNDS = Bounds(pages=1, value_bytes=96 << 10, total_bytes=256 << 10)
"""Of reading the metadata of one pyramid."""
_SHORTEST_PROFILE, _SPACE, _SIGNATURE = 132, slice(16, 20), slice(36, 40)
_RGB_SPACE, _GRAY_SPACE = b"RGB ", b"GRAY"
_GRAY = (0, 1)
"""Photometric interpretations of one channel: white or black is zero."""


@dataclass(frozen=True)
class DerivativeMetadata:
    """What images made from one access master carry."""

    icc: bytes = b""
    """Profile of the pyramid's pixels. A renderer that converts them replaces it."""
    fields: Metadata = field(default_factory=Metadata)
    """Selected TIFF and EXIF fields, checked."""
    xmp: bytes = b""
    """A packet of the selected properties."""

    def profile(self, *, gray: bool) -> bytes:
        """The profile for an image in colour or in gray; b"" when it is for the other kind."""
        return self.icc if self.icc[_SPACE] == (_GRAY_SPACE if gray else _RGB_SPACE) else b""

    def exif(self, width: int, height: int) -> bytes:
        """EXIF of an image of this size in pixels; b"" when nothing is known."""
        return exif_block(self.fields, width, height, srgb=self.icc == SRGB)


def read_derivative_metadata(
    read: ReadRange, size: int, *, name: str, tags: frozenset[int] = STANDARD.derivative_tags
) -> DerivativeMetadata:
    """Metadata for derivatives of the pyramid of `size` bytes; `name` is for the log.

    Reads once through the file's first page: whoever calls keeps what comes back.
    """
    try:
        reader = TiffReader(read, size, BOUNDS)
        page = reader.first_page()
        icc, losses = read_profile(page)
        found = from_page(reader, page, tags | {Tag.XMP, Tag.EXIF_IFD})
    except MalformedTiff as error:
        tell(name, [str(error)])
        return DerivativeMetadata()
    packet = found.entries.get(Tag.XMP)
    properties = xmp.select_properties(packet.data) if packet else {}
    tell(name, [*losses, *found.losses])
    return DerivativeMetadata(icc, presentable(select(found, tags)), xmp.write_packet(properties))


def read_profile(page: Directory) -> tuple[bytes, list[str]]:
    """The ICC profile of a page's pixels, and what was wrong with it.

    sRGB where a page in colour has none, as every browser takes it; b"" where it has one that
    cannot be read or is for other pixels: then nothing is known of the colours.
    """
    gray = page.integer(Tag.PHOTOMETRIC, -1) in _GRAY
    if Tag.ICC_PROFILE not in page:
        return b"" if gray else SRGB, []
    try:
        profile = page.raw(Tag.ICC_PROFILE)
    except MalformedTiff as error:
        return b"", [f"The colour profile was left out. {error}"]
    if len(profile) < _SHORTEST_PROFILE or profile[_SIGNATURE] != b"acsp":
        return b"", ["The colour profile was left out. It is none."]
    [announced] = struct.unpack_from(">I", profile)
    if announced > len(profile) or profile[_SPACE] != (_GRAY_SPACE if gray else _RGB_SPACE):
        return b"", ["The colour profile was left out. It is cut off or for other pixels."]
    return profile[:announced], []


def tell(name: str, losses: Sequence[str]) -> None:
    """Note in the log what of `name` could not be read."""
    if losses:
        logger.warning("metadata of %s is delivered in part: %s", name, " ".join(losses))
