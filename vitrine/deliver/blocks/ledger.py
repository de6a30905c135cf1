"""Which blocks are on disk, in the order of their last use, and what they take of the budget."""

from collections import OrderedDict
from collections.abc import Iterator

Blocks = OrderedDict[int, int]
"""Block identifiers, the least recently used first, and the bytes each is charged with."""


class Ledger:
    """Counts bytes: of blocks on disk, of reads under way, of blocks that are being removed.

    Every block is in one of three lists. Pure bookkeeping: `blocks.space` does what it says.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.used = 0
        """Bytes that are on disk, on their way there, or being removed."""
        self.held = 0
        """Those that must stay: reserved or pinned."""
        self.leaving = 0
        """Those that are being removed."""
        self.idle: Blocks = OrderedDict()
        self.kept: Blocks = OrderedDict()
        """Heads of files: they go when nothing idle is left."""
        self.pinned: Blocks = OrderedDict()
        """In use: they never go."""

    def missing_room(self, wanted: int) -> int:
        """Bytes to be evicted before `wanted` more fit; some may be leaving already."""
        return self.used - self.leaving + wanted - self.budget

    def reserve(self, charge: int) -> None:
        """Count bytes that are about to be written."""
        self.used += charge
        self.held += charge

    def release(self, charge: int) -> None:
        """They have not been, after all."""
        self.used -= charge
        self.held -= charge

    def arrive(self, block: int, charge: int, to: Blocks) -> None:
        """A block whose bytes were reserved is on disk now."""
        to[block] = charge
        if to is not self.pinned:
            self.held -= charge

    def move(self, block: int, source: Blocks, to: Blocks) -> None:
        """From one list to another, as its most recently used."""
        charge = source.pop(block)
        to[block] = charge
        self.held += charge * ((to is self.pinned) - (source is self.pinned))

    def leave(self, block: int, source: Blocks) -> int:
        """The block is being removed; its charge, of which `gone` must hear."""
        charge = source.pop(block)
        self.leaving += charge
        if source is self.pinned:
            self.held -= charge
        return charge

    def gone(self, charge: int) -> None:
        """Bytes that were leaving are off the disk."""
        self.used -= charge
        self.leaving -= charge

    def strand(self, charge: int) -> int:
        """Bytes that were leaving stay on disk for now."""
        self.leaving -= charge
        return charge

    def charge_of(self, block: int) -> int:
        """What an evictable block is charged with."""
        return self.idle[block] if block in self.idle else self.kept[block]

    def evictable(self) -> Iterator[tuple[int, int]]:
        """Blocks that may go and their charges, in the order in which they should."""
        yield from self.idle.items()
        yield from self.kept.items()
