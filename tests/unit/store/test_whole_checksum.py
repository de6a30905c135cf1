"""Checksums of whole objects, as stores keep them."""

import pytest

from vitrine.store.whole_checksum import ALGORITHMS, checksum_of

CHECK = b"123456789"
KNOWN = {
    "crc32": "cbf43926",
    "md5": "25f9e794323b453885f5181f1b624d0b",
    "sha1": "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
    "sha256": "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_bytes_have_the_published_checksum_and_no_other(algorithm: str) -> None:
    checksum = f"{algorithm}:{KNOWN[algorithm]}"
    assert checksum_of(CHECK, algorithm) == checksum
    assert checksum_of(CHECK[:-1] + b"8", algorithm) != checksum
