"""Embedding of an image's metadata in its derivatives, which are many for one reading."""

from weakref import WeakKeyDictionary

from vitrine.deliver.embed.derivatives import embed_metadata
from vitrine.deliver.embed.selection import DerivativeMetadata, read_derivative_metadata
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid


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
