"""What a process keeps of a photograph's memory for the next one, and what it gives back.

The allocator keeps what it got (containers/photos/start), since pages taken again cost a sixth of a
photograph's processor time. That of a large progressive JPEG, which is decoded as a whole, would
stay for ever.
"""

import ctypes
import os
from pathlib import Path

KEPT_BYTES = 160 << 20
"""Memory of a process; photographs of 10 MB leave it 50 to 110 MiB (ADR 0031)."""
_STATM = Path("/proc/self/statm")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_ALLOCATOR = ctypes.CDLL(None)


def own_bytes() -> int:
    """Return the resident memory of this process, without the files that it has mapped."""
    _, resident, shared, *_ = map(int, _STATM.read_text().split())
    return (resident - shared) * _PAGE_BYTES


def release_memory(kept_bytes: int = KEPT_BYTES) -> None:
    """Give back all memory that is free, if the process has more than that."""
    if own_bytes() > kept_bytes:
        _ALLOCATOR.malloc_trim(0)
