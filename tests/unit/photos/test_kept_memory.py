"""A process gives back what a large photograph took, and keeps what the next one needs."""

import json
import os
import subprocess
import sys

import pytest

TAKEN = 100 << 20
_PROCESS = """
import ctypes, json, sys
from vitrine.photos.kept_memory import own_bytes, release_memory

library = ctypes.CDLL(None)
library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
blocks = [library.malloc(ctypes.c_size_t(1 << 20)) for _ in range({taken} >> 20)]
for block in blocks:
    ctypes.memset(block, 1, 1 << 20)
last = library.malloc(ctypes.c_size_t(1 << 20))  # behind them, so that the heap cannot shrink
full = own_bytes()
for block in blocks:
    library.free(block)
freed = own_bytes()
release_memory(int(sys.argv[1]))
print(json.dumps([full, freed, own_bytes()]))
"""


def _measured(kept_bytes: int) -> tuple[int, int, int]:
    """Return a process's own memory with large blocks, without them, and after its release."""
    kept = str(1 << 30)
    environment = os.environ | {
        "MALLOC_TRIM_THRESHOLD_": kept,
        "MALLOC_MMAP_THRESHOLD_": "67108864",
    }
    command = [sys.executable, "-c", _PROCESS.format(taken=TAKEN), str(kept_bytes)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    full, freed, released = json.loads(done.stdout)
    return full, freed, released


@pytest.mark.parametrize(("kept_bytes", "is_released"), [(50 << 20, True), (1 << 30, False)])
def test_memory_beyond_the_limit_goes_back_to_the_system(
    kept_bytes: int, is_released: bool
) -> None:
    full, freed, released = _measured(kept_bytes)
    assert freed > full - TAKEN // 10
    assert (released < full - TAKEN * 9 // 10) == is_released
