"""A file in memory, which takes the place of a local one while the disk cannot be written."""

import os
from pathlib import Path

from vitrine.deliver.blocks.sparse import SparseFile


class MemoryFile(SparseFile):
    """`size` bytes without a name in any directory (memfd_create(2)), all of them a hole at first.

    Every reader in this process opens it by its path; those in other containers cannot.
    """

    __slots__ = ("_descriptor",)

    def create(self) -> None:
        """Create the file, if it does not exist. Raises OSError."""
        if self.exists:
            return
        self._descriptor = os.memfd_create("vitrine-blocks", os.MFD_CLOEXEC)
        os.ftruncate(self._descriptor, self.size)
        self.path = Path(f"/proc/{os.getpid()}/fd/{self._descriptor}")
        self.exists = True

    def unlink(self) -> int | None:
        """Return the descriptor that holds the bytes: they are freed when the caller closes it."""
        if not self.exists:
            return None
        self.exists = False
        return self._descriptor
