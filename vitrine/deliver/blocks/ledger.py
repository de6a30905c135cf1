"""The ledger of blocks on disk, in the order of their last use, and of the budget they take."""

from collections import OrderedDict
from collections.abc import Iterator

Blocks = OrderedDict[int, int]
"""Block identifiers, the least recently used first, and the bytes each is charged with."""


class BlockLedger:
    """Counts the bytes of blocks on disk, of reads under way, of blocks that are being removed.

    Every block is in one of three lists. Pure bookkeeping: `blocks.space` carries it out.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.used = 0
        """Bytes that are on disk, on their way there, or being removed."""
        self.held = 0
        """Bytes that must stay: reserved or pinned."""
        self.leaving = 0
        """Bytes that are being removed."""
        self.idle: Blocks = OrderedDict()
        self.kept: Blocks = OrderedDict()
        """Heads of files: evicted when no idle block is left."""
        self.pinned: Blocks = OrderedDict()
        """Blocks in use: never evicted."""

    def missing_room(self, requested: int) -> int:
        """Return how many bytes to evict before `requested` more fit, not counting the leaving."""
        return self.used - self.leaving + requested - self.budget

    def reserve(self, charge: int) -> None:
        """Count bytes that are about to be written."""
        self.used += charge
        self.held += charge

    def release(self, charge: int) -> None:
        """Give back reserved bytes that were not written."""
        self.used -= charge
        self.held -= charge

    def arrive(self, block: int, charge: int, to: Blocks) -> None:
        """Enter a block that is on disk now, and whose bytes were reserved."""
        to[block] = charge
        if to is not self.pinned:
            self.held -= charge

    def move(self, block: int, source: Blocks, to: Blocks) -> None:
        """Move a block from one list to another, as its most recently used."""
        charge = source.pop(block)
        to[block] = charge
        self.held += charge * ((to is self.pinned) - (source is self.pinned))

    def leave(self, block: int, source: Blocks) -> int:
        """Take out a block that is being removed, and return its charge for `end_removal`."""
        charge = source.pop(block)
        self.leaving += charge
        if source is self.pinned:
            self.held -= charge
        return charge

    def end_removal(self, charge: int) -> None:
        """Count bytes that were leaving as off the disk."""
        self.used -= charge
        self.leaving -= charge

    def strand(self, charge: int) -> int:
        """Count bytes that were leaving as staying on disk for now, and return them."""
        self.leaving -= charge
        return charge

    def charge_of(self, block: int) -> int:
        """Return the charge of an evictable block."""
        return self.idle[block] if block in self.idle else self.kept[block]

    def evictable(self) -> Iterator[tuple[int, int]]:
        """Yield the blocks that may be evicted and their charges, in the order of eviction."""
        yield from self.idle.items()
        yield from self.kept.items()
