"""Embedding of an image's metadata in its derivatives, which are many for one reading."""

from weakref import WeakKeyDictionary

from vitrine.deliver.embed.derivatives import embed_metadata
from vitrine.deliver.embed.selection import DerivativeMetadata, read_derivative_metadata
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid


class Embedding:
    """Embeds metadata that is read once per opened pyramid. Belongs to one event loop."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[OpenPyramid, DerivativeMetadata] = WeakKeyDictionary()

    def is_ready(self, pyramid: OpenPyramid) -> bool:
        """Return True if the metadata were read."""
        return pyramid in self._known

    def embed_at_once(self, pyramid: OpenPyramid, body: bytes, format_name: str) -> bytes:
        """Return an encoded derivative with its metadata, which were read."""
        return embed_metadata(body, format_name, self._known[pyramid])

    async def embed(self, pyramid: OpenPyramid, body: bytes, format_name: str) -> bytes:
        """Return an encoded derivative with its metadata. Raises Unavailable, Replaced."""
        if not self.is_ready(pyramid):
            file = pyramid.file
            self._known[pyramid] = await pyramid.read_metadata(
                lambda read: read_derivative_metadata(read, file.size, name=file.key),
                with_tail=True,
            )
        return self.embed_at_once(pyramid, body, format_name)
