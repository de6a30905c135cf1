"""Numbers by key in the order they were last used: what evicts the least recently used first."""

from itertools import islice

_CANDIDATES = 1_024


class Recency(dict[int, int]):
    """A dict that is put in order by taking out and putting back.

    Half the memory of an OrderedDict, which counts with a million entries. Finding the oldest means
    to step over what was taken out before it, so that is done for many at a time. Change it by its
    own methods only.
    """

    def __init__(self) -> None:
        self._oldest: dict[int, None] = {}
        """Keys that come first, as far as they were looked up, and not used since."""

    def use(self, key: int, value: int) -> None:
        """Set it: now it is the newest."""
        self.pop(key, None)
        self[key] = value
        if self._oldest:
            self._oldest.pop(key, None)

    def drop(self, key: int) -> None:
        """Forget it."""
        del self[key]
        self._oldest.pop(key, None)

    def drop_oldest(self) -> int:
        """Forget the one that was used the longest ago; its value."""
        if not self._oldest:
            self._oldest = dict.fromkeys(islice(self, _CANDIDATES))
        key = next(iter(self._oldest))
        del self._oldest[key]
        return self.pop(key)
