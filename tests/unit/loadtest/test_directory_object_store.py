"""A folder as an object store, beyond what the contract requires of every store."""

import hashlib
import json
from pathlib import Path

import pytest

from loadtest.rigs.directory_store.directory_object_store import DirectoryObjectStore
from loadtest.rigs.directory_store.paths import object_path
from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.ports import ObjectPart


def md5(body: bytes) -> str:
    return hashlib.md5(body, usedforsecurity=False).hexdigest()


def test_files_that_were_there_are_objects(tmp_path: Path) -> None:
    (tmp_path / "prints").mkdir()
    (tmp_path / "prints/a b.tif").write_bytes(b"picture")
    store = DirectoryObjectStore(tmp_path)
    info = store.head("prints/a b.tif")
    assert (info.size, info.etag, info.metadata) == (7, md5(b"picture"), {})
    assert store.read("prints/a b.tif", 2, 3, if_etag=info.etag) == ObjectPart(b"ctu", info.etag, 7)
    assert store.read("prints/a b.tif", 0, 1, version=info.version).data == b"p"


def test_an_object_is_a_file_of_its_name(tmp_path: Path) -> None:
    DirectoryObjectStore(tmp_path).put("00/a/b.tif", b"1", content_type="image/tiff")
    assert (tmp_path / "00/a/b.tif").read_bytes() == b"1"


def test_a_file_that_changes_is_another_object(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    store = DirectoryObjectStore(tmp_path)
    old = store.head("a")
    (tmp_path / "a").write_bytes(b"newer")
    assert store.head("a").etag == md5(b"newer")
    with pytest.raises(PreconditionFailed):
        store.read("a", 0, 1, if_etag=old.etag)
    with pytest.raises(ObjectMissing):
        store.read("a", 0, 1, version=old.version)


def test_another_process_finds_what_was_known(tmp_path: Path) -> None:
    put = DirectoryObjectStore(tmp_path).put(
        "a", b"1", content_type="image/tiff", metadata={"recipe": "große-1"}
    )
    (tmp_path / "b").write_bytes(b"2")
    seen = DirectoryObjectStore(tmp_path).head("b")
    [sidecar] = [
        path
        for path in tmp_path.glob(".vitrine/versions/*/*.json")
        if json.loads(path.read_text())["etag"] == seen.etag
    ]
    sidecar.write_text(sidecar.read_text().replace(seen.etag, "remembered"))
    another = DirectoryObjectStore(tmp_path)
    assert another.head("a") == put
    assert another.head("b").etag == "remembered"  # and so the MD5 was not computed again


def test_a_torn_description_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    DirectoryObjectStore(tmp_path).head("a")
    for sidecar in tmp_path.glob(".vitrine/versions/*/*.json"):
        sidecar.write_text('{"etag": "12')
    assert DirectoryObjectStore(tmp_path).head("a").etag == md5(b"1")


def test_folders_are_no_objects(tmp_path: Path) -> None:
    store = DirectoryObjectStore(tmp_path)
    store.put("a/b", b"1", content_type="")
    for key in ("a", "a/", "a/b/c", "", ".", "..", ".vitrine"):
        with pytest.raises(ObjectMissing):
            store.head(key)


@pytest.mark.parametrize(
    "key", ["../x", "/x", "a/../x", "a//x", "./x", "\0", ".vitrine/lock", "a/", "%2E%2E/x", "%00"]
)
def test_no_key_leaves_the_folder_or_meets_another(tmp_path: Path, key: str) -> None:
    root = tmp_path / "root"
    store = DirectoryObjectStore(root)
    others = ["x", "a/x", "lock", "...", "%2E/x"]
    for other in [key, *others]:
        store.put(other, other.encode(), content_type="")
    assert [store.get(other)[0].decode() for other in [key, *others]] == [key, *others]
    assert [path.name for path in tmp_path.iterdir()] == ["root"]


def test_long_names_differ_to_the_last_character(tmp_path: Path) -> None:
    names = {object_path(tmp_path, "ä" * 500 + end) for end in ("", "1", "2", "/1")}
    assert len(names) == 4


def test_a_failed_upload_leaves_nothing(tmp_path: Path) -> None:
    store = DirectoryObjectStore(tmp_path)

    def fail(_: int) -> None:
        raise ZeroDivisionError

    (tmp_path / "source").write_bytes(b"1")
    with pytest.raises(ZeroDivisionError):
        store.upload(tmp_path / "source", "a", content_type="", metadata={}, on_progress=fail)
    with pytest.raises(ObjectMissing):
        store.head("a")
    assert not store.unfinished_uploads()


@pytest.mark.parametrize("number", [0, 10_001])
def test_part_numbers_are_those_of_s3(tmp_path: Path, number: int) -> None:
    store = DirectoryObjectStore(tmp_path)
    with (
        pytest.raises(ValueError, match="no part"),
        store.multipart("a", content_type="", metadata={}) as upload,
    ):
        upload.part(number, b"1")
