"""libvips as we run it: what becomes of large memory that is freed."""

import os
import subprocess
import sys

_COUNT = """
import ctypes
from vitrine.ingest.inspect.vips import prepare_libvips

names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"

class Figures(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]

prepare_libvips()
library = ctypes.CDLL(None)
library.mallinfo2.restype = Figures
library.malloc.restype = ctypes.c_void_p
before = library.mallinfo2().hblks
library.malloc(ctypes.c_size_t(1 << 20))
print(library.mallinfo2().hblks - before)
"""
"""Prints how many blocks were mapped for one of a mebibyte."""


def _mapped(**variables: str) -> int:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    command = [sys.executable, "-c", _COUNT]
    done = subprocess.run(
        command, env=environment | variables, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_a_large_block_is_mapped_so_that_it_goes_back_to_the_system() -> None:
    assert _mapped() == 1


def test_a_process_that_was_started_with_a_threshold_of_its_own_keeps_it() -> None:
    assert _mapped(MALLOC_MMAP_THRESHOLD_="67108864") == 0
