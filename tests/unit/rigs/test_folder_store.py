"""A folder is a bucket for a gateway: its files are read as they are on disk."""

from pathlib import Path

import pytest

from rigs.folder_store import FolderStore
from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.ports import ObjectPart


def test_a_file_of_the_folder_is_an_object(tmp_path: Path) -> None:
    (tmp_path / "a b.tif").write_bytes(b"picture")
    store = FolderStore(tmp_path)
    info = store.head("a b.tif")
    assert info.size == 7
    assert store.read("a b.tif", 2, 3, if_etag=info.etag) == ObjectPart(b"ctu", info.etag, 7)
    assert FolderStore(tmp_path).head("a b.tif") == info


def test_a_file_that_is_replaced_is_another_object(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    store = FolderStore(tmp_path)
    old = store.head("a")
    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "new").replace(tmp_path / "a")
    with pytest.raises(PreconditionFailed):
        store.read("a", 0, 1, if_etag=old.etag)
    assert store.read("a", 0, 3).data == b"new"


def test_what_is_not_there_is_missing(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    with pytest.raises(ObjectMissing):
        store.head("a")
    with pytest.raises(ObjectMissing):
        store.read("a", 0, 1)
