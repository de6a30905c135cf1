"""Tiles that nginx keeps and answers without the gateway (ADR 0018)."""

from capacity.engine.clock import SECOND

TILE_CACHE_MEBIBYTES = 256
"""The setting's default (`vitrine.settings`)."""
MIN_USES = 2
"""An address's first requests, which pass; the last of them is kept."""
REFRESHED_SHARE = 2 / 3
"""Share of a record's lifetime after which the gateway reads a record in use again."""
KEYS_A_MEBIBYTE = 32
"""Addresses that nginx counts: the least recently requested goes first (containers/nginx/start)."""


class KeptTiles:
    """Counts the requests of each tile; knows until when nginx may answer by itself."""

    def __init__(self, lifetime_ns: int, mebibytes: int) -> None:
        """`lifetime_ns` is how long a record is trusted."""
        self._lifetime = lifetime_ns
        self._period = int(REFRESHED_SHARE * lifetime_ns)
        self._most = KEYS_A_MEBIBYTE * mebibytes
        self._read: dict[int, int] = {}
        """By image: when its record was read."""
        self._tiles: dict[int, tuple[int, int, int]] = {}
        """By key, the least recently requested first: requests, when the last came, until when it
        is kept."""
        self.hits = self.requests = 0

    def keeps(self, key: int, now: int) -> bool:
        """Return whether nginx would answer a request, which is not counted."""
        _, last, until = self._tiles.get(key, (0, 0, 0))
        return now < until and now - last <= self._lifetime

    def has(self, key: int, image: int, now: int) -> bool:
        """Count a request; return whether nginx answers it."""
        self.requests += 1
        uses, last, until = self._tiles.pop(key, (0, now, 0))
        if now - last > self._lifetime:
            uses, until = 0, 0
        hit = now < until
        if not hit and uses + 1 >= MIN_USES:
            until = self._read_at(image, now) + self._period - SECOND
        self._tiles[key] = uses + 1, now, until
        if len(self._tiles) > self._most:
            del self._tiles[next(iter(self._tiles))]
        self.hits += hit
        return hit

    def _read_at(self, image: int, now: int) -> int:
        read = self._read.get(image)
        if read is None or now - read >= self._period:
            read = self._read[image] = now
        return read
