"""Embedding of metadata in encoded derivatives, in each format that carries it."""

from collections.abc import Callable
from weakref import WeakKeyDictionary

from vitrine.deliver.embed.gif import embed_in_gif
from vitrine.deliver.embed.jpeg import embed_in_jpeg
from vitrine.deliver.embed.png import embed_in_png
from vitrine.deliver.embed.selection import DerivativeMetadata, read_derivative_metadata
from vitrine.deliver.embed.tiff import embed_in_tiff
from vitrine.deliver.embed.webp import embed_in_webp
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid

EMBED: dict[str, Callable[[bytes, DerivativeMetadata], bytes]] = {
    "jpg": embed_in_jpeg,
    "png": embed_in_png,
    "webp": embed_in_webp,
    "gif": embed_in_gif,
    "tif": embed_in_tiff,
}
"""By the IIIF name of the format."""


def embed_metadata(image: bytes, format_name: str, metadata: DerivativeMetadata) -> bytes:
    """Return the image with `metadata`, its pixels untouched; unchanged if its format has none."""
    embed = EMBED.get(format_name)
    return embed(image, metadata) if embed else image


class Embedding:
    """Embeds metadata that is read once per opened pyramid. Belongs to one event loop."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[OpenPyramid, DerivativeMetadata] = WeakKeyDictionary()

    async def embed(self, pyramid: OpenPyramid, body: bytes, format_name: str) -> bytes:
        """Return an encoded derivative with its metadata. Raises Unavailable, Replaced."""
        known = self._known.get(pyramid)
        if known is None:
            file = pyramid.file
            known = await pyramid.read_metadata(
                lambda read: read_derivative_metadata(read, file.size, name=file.key),
                with_tail=True,
            )
            self._known[pyramid] = known
        return embed_metadata(body, format_name, known)
