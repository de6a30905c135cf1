"""The heads of answers with a tile, as bytes: all but the tile's address is made once per image."""

from vitrine.deliver.http.head import encode_head
from vitrine.deliver.http.headers import CORS, ImageHeaders
from vitrine.iiif.format import JPEG
from vitrine.iiif.version import Version
from vitrine.records import Live

HEADS = 4_096
"""Number of heads that are kept, a kilobyte each: one for each image, host and version."""
_ADDRESS = "\0"
"""Stands for the canonical address while a head is made; no header can hold it."""


class TileHeads:
    """Makes heads that say what `ImageHeaders` says. Belongs to one event loop."""

    def __init__(self, image_headers: ImageHeaders, capacity: int = HEADS) -> None:
        self._image_headers = image_headers
        self._capacity = capacity
        self._made: dict[tuple[str, str, int], tuple[Live, bytes, bytes]] = {}

    def of(self, image: Live, base: str, version: Version, canonical: str) -> bytes:
        """Return the lines of the head of a tile at its canonical address, relative to its image.

        Content-Length and the empty line are the caller's.
        """
        key = image.identifier, base, version.number
        made = self._made.get(key)
        if made is None or made[0] is not image:
            if len(self._made) >= self._capacity:
                self._made.clear()  # rare, and cheap to make again
            made = self._made[key] = image, *self._make_heads(image, base, version)
        return b"".join((made[1], canonical.encode(), made[2]))

    def _make_heads(self, image: Live, base: str, version: Version) -> tuple[bytes, bytes]:
        headers = self._image_headers.at(image, JPEG.media_type, base, version, _ADDRESS)
        before, _, after = encode_head(200, headers + CORS).partition(_ADDRESS.encode())
        return before, after
