"""What derivatives carry besides pixels, read once per opened pyramid."""

from weakref import WeakKeyDictionary

from vitrine.deliver.embed.selection import DerivativeMetadata, read_derivative_metadata
from vitrine.deliver.embed.splice import with_metadata
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.pyramids.reading import run_over_blocks


class Embedding:
    """Remembers the metadata of opened pyramids. Belongs to one event loop."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[OpenPyramid, DerivativeMetadata] = WeakKeyDictionary()

    async def embed(self, pyramid: OpenPyramid, body: bytes, format_name: str) -> bytes:
        """An encoded derivative with its metadata. Raises Unavailable, Replaced."""
        known = self._known.get(pyramid)
        if known is None:
            file = pyramid.file
            known = await run_over_blocks(
                file, lambda read: read_derivative_metadata(read, file.size, name=file.key)
            )
            self._known[pyramid] = known
        return with_metadata(body, format_name, known)
