"""Reading one object in blocks."""

from pathlib import Path

import pytest

from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import TransientError
from vitrine.store.ranged import BLOCK_BYTES, RangedFile


@pytest.fixture
def store(tmp_path: Path) -> MemoryObjectStore:
    """One object, `a`, of two and a half blocks."""
    (tmp_path / "a").write_bytes(bytes(i % 251 for i in range(BLOCK_BYTES * 5 // 2)))
    store = MemoryObjectStore()
    store.upload(tmp_path / "a", "a", content_type="", metadata={})
    return store


def whole(file: RangedFile) -> bytes:
    body = b""
    while data := file.read_at(len(body), 100_000):
        body += data
    return body


def test_the_object_reads_back_whole_in_one_read_per_block(store: MemoryObjectStore) -> None:
    body, info = store.get("a")
    file = RangedFile(store, "a", info.size)
    assert whole(file) == whole(file) == body
    assert file.reads == 3


def test_nothing_lies_behind_the_end(store: MemoryObjectStore) -> None:
    file = RangedFile(store, "a", store.head("a").size)
    assert file.read_at(file.size, 10) == b""
    assert file.reads == 0


def test_a_failed_read_can_be_tried_again(store: MemoryObjectStore) -> None:
    file = RangedFile(Breaking(store, times=1), "a", store.head("a").size)
    with pytest.raises(TransientError):
        file.read_at(0, 10)
    assert file.read_at(0, 3) == bytes([0, 1, 2])
