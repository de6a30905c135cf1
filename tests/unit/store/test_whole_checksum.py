"""Checksums of whole objects, as stores keep them."""

from pathlib import Path

import pytest

from vitrine.store.whole_checksum import ALGORITHMS, checksum_of, has_checksum

CHECK = b"123456789"
KNOWN = {
    "crc32": "cbf43926",
    "md5": "25f9e794323b453885f5181f1b624d0b",
    "sha1": "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
    "sha256": "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_file_has_the_published_checksum_and_no_other(algorithm: str, tmp_path: Path) -> None:
    path, checksum = tmp_path / "file", f"{algorithm}:{KNOWN[algorithm]}"
    path.write_bytes(CHECK)
    assert checksum_of(CHECK, algorithm) == checksum
    assert has_checksum(path, checksum)
    path.write_bytes(CHECK[:-1] + b"8")
    assert not has_checksum(path, checksum)
