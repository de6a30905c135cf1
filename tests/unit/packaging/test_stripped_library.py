"""What is cut off a shared library was for debuggers: it is smaller and does the same."""

import subprocess
import sys
from pathlib import Path

import _brotli
import brotli
import pytest

from layers.stripped_library import stripped_library

LIBRARY = Path(_brotli.__file__)
USE = "import _brotli; print(_brotli.decompress(bytes.fromhex(sys.argv[1])))"


def test_a_library_without_its_symbols_is_loaded_and_works(tmp_path: Path) -> None:
    whole = LIBRARY.read_bytes()
    cut = stripped_library(whole)
    assert len(cut) < len(whole) / 3
    assert cut.count(b".debug_info") == 0 < whole.count(b".debug_info")
    (tmp_path / LIBRARY.name).write_bytes(cut)
    command = [
        sys.executable,
        "-I",
        "-c",
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {USE}",
        brotli.compress(b"night watch").hex(),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "b'night watch'\n", done.stderr


def test_a_library_is_cut_once_only() -> None:
    cut = stripped_library(LIBRARY.read_bytes())
    assert stripped_library(cut) == cut


@pytest.mark.parametrize("other", [b"", b"\x7fELF", b"\x7fELF\x01\x01" + bytes(99), b"import os\n"])
def test_what_is_no_library_of_64_bits_stays_as_it_is(other: bytes) -> None:
    assert stripped_library(other) == other
