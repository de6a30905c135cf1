"""Edge tiles that were cropped lately."""

from collections import OrderedDict

from vitrine.deliver.tiles.position import TilePosition

Key = tuple[int, TilePosition]
"""A pyramid's number, and the tile."""


class CroppedTiles:
    """Whole JPEGs within `capacity_bytes` of memory, the least recently used going first."""

    def __init__(self, capacity_bytes: int) -> None:
        self._left = capacity_bytes
        self._tiles: OrderedDict[Key, bytes] = OrderedDict()

    def get(self, key: Key) -> bytes | None:
        """The tile, if it is still there. Is a use."""
        tile = self._tiles.get(key)
        if tile is not None:
            self._tiles.move_to_end(key)
        return tile

    def add(self, key: Key, tile: bytes) -> None:
        """Remember a tile; one that takes more than all the room is forgotten at once."""
        self._left += len(self._tiles.pop(key, b""))
        self._tiles[key] = tile
        self._left -= len(tile)
        while self._left < 0:
            _, oldest = self._tiles.popitem(last=False)
            self._left += len(oldest)
