"""The heads of answers with a tile, as bytes: all but its address is made once per image."""

from vitrine.deliver.http.head import encode_head
from vitrine.deliver.http.headers import CORS, ImageHeaders
from vitrine.iiif.format import JPEG
from vitrine.iiif.version import Version
from vitrine.records import Live

HEADS = 4_096
"""Number of heads that are kept, a kilobyte each: one for each image and version."""
_OPEN = "\0"
"""Stands for the host and for the canonical address while a head is made; no header can hold it."""


class TileHeads:
    """Makes heads that say what `ImageHeaders` says. Belongs to one event loop."""

    def __init__(self, image_headers: ImageHeaders, capacity: int = HEADS) -> None:
        self._image_headers = image_headers
        self._capacity = capacity
        self._made: dict[tuple[str, int], tuple[Live, list[bytes]]] = {}

    def of(self, image: Live, base: str, version: Version, canonical: str) -> bytes:
        """Return the lines of the head of a tile at its canonical address, relative to its image.

        `base` is the scheme and host, which the client chooses: nothing is kept of it.

        Content-Length and the empty line are the caller's.
        """
        key = image.identifier, version.number
        made = self._made.get(key)
        if made is None or made[0] is not image:
            if len(self._made) >= self._capacity:
                self._made.clear()  # rare, and cheap to make again
            made = self._made[key] = image, self._make_parts(image, version)
        before, between, after = made[1]
        return b"".join((before, base.encode(), between, canonical.encode(), after))

    def _make_parts(self, image: Live, version: Version) -> list[bytes]:
        headers = self._image_headers.at(image, JPEG.media_type, _OPEN, version, _OPEN)
        return encode_head(200, headers + CORS).split(_OPEN.encode())
