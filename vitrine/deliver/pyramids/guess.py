"""Guesses of what to fetch with a directory, so that opening a foreign pyramid takes few reads.

libtiff writes each level's directory and index after its tiles, and the next level's after those:
full resolution ends at three quarters of the file, all small levels are near its end.
"""

from vitrine.deliver.pyramids.reading import MissingBytes, Ranges
from vitrine.records import Live

_VALUES_BYTES = 8 << 10
"""Values of a directory other than its index: a profile, a description."""
_MAX_AHEAD = 512 << 10
_TAIL_BYTES = 320 << 10
"""Holds the levels of a 400-megapixel image from an edge of 1250 pixels on, with directories."""
_DIRECTORIES_FIRST = 4 << 20
_CLASSIC_LIMIT = 1 << 32


class HeadGuess:
    """Guesses which ranges to fetch when the reader of a pyramid's head lacks bytes.

    Each level has a quarter of the tiles of the one before.
    """

    def __init__(self, image: Live, size: int) -> None:
        tiles = -(-image.width // image.tile_width) * -(-image.height // image.tile_height)
        self._index = tiles * (16 if size >= _CLASSIC_LIMIT else 8)
        self._size = size
        self._tail_is_due = True

    def ranges(self, missing: MissingBytes) -> Ranges:
        """Return the missing bytes with what probably follows; at first also the file's end."""
        length = max(missing.length, min(self._index + _VALUES_BYTES, _MAX_AHEAD))
        self._index //= 4
        ahead = (missing.offset, min(length, self._size - missing.offset))
        if not self._tail_is_due:
            return (ahead,)
        self._tail_is_due = False
        tail = self._size - _TAIL_BYTES
        if missing.offset < _DIRECTORIES_FIRST or sum(ahead) > tail:
            return (ahead,)
        return (ahead, (tail, _TAIL_BYTES))
