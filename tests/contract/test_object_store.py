"""What every ObjectStore promises."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.ports import ObjectPart, ObjectStore
from vitrine.store.whole_checksum import checksum_of

ODD_KEYS = ["a b/ä ö.tif", "50% off.tif", "日本/神奈川沖浪裏.tif", "a+b&c=d.tif", "x" * 1000]


def upload(store: ObjectStore, path: Path, key: str, body: bytes, **metadata: str) -> Any:
    file = path / "file"
    file.write_bytes(body)
    return store.upload(file, key, content_type="image/tiff", metadata=metadata)


def test_an_absent_object_is_missing(store: ObjectStore, tmp_path: Path) -> None:
    for read in (
        lambda: store.head("nothing"),
        lambda: store.get("nothing"),
        lambda: store.read("nothing", 0, 1),
        lambda: store.download("nothing", tmp_path / "out"),
    ):
        with pytest.raises(ObjectMissing):
            read()


def test_an_upload_reads_back_with_its_metadata(store: ObjectStore, tmp_path: Path) -> None:
    info = upload(store, tmp_path, "a.tif", b"picture", identifier="Nächtlicher Gang 100%")
    body, read = store.get("a.tif")
    assert body == b"picture"
    assert read == info
    assert read.size == 7
    assert read.metadata == {"identifier": "Nächtlicher Gang 100%"}
    assert read.version
    assert read.modified.endswith("Z")


def test_a_checksum_is_that_of_the_whole_object(store: ObjectStore, tmp_path: Path) -> None:
    body = bytes(range(256)) * (20 * 4096)
    for key, data in (("small", body[:1_000]), ("in parts", body)):
        info = upload(store, tmp_path, key, data)
        store.download(key, tmp_path / "back")
        back, algorithm = (tmp_path / "back").read_bytes(), info.checksum.partition(":")[0]
        assert not algorithm or info.checksum == checksum_of(back, algorithm)
    put = store.put("put", b"body", content_type="")
    for info in (put, store.head("put"), store.get("put")[1]):
        assert info.checksum == checksum_of(b"body", info.checksum.partition(":")[0])


@pytest.mark.parametrize("key", ODD_KEYS)
def test_any_key_is_kept_as_it_is(store: ObjectStore, tmp_path: Path, key: str) -> None:
    upload(store, tmp_path, key, b"1")
    assert store.head(key).key == key


def test_a_large_file_arrives_whole_and_reports_progress(
    store: ObjectStore, tmp_path: Path
) -> None:
    body = bytes(range(256)) * (20 * 4096)
    file = tmp_path / "large"
    file.write_bytes(body)
    sent: list[int] = []
    info = store.upload(
        file, "large", content_type="image/tiff", metadata={}, on_progress=sent.append
    )
    assert info.size == sum(sent) == len(body)
    store.download("large", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == body


def test_an_older_version_stays_readable(store: ObjectStore, tmp_path: Path) -> None:
    old = upload(store, tmp_path, "a", b"old")
    new = upload(store, tmp_path, "a", b"new!")
    assert store.head("a").version == new.version != old.version
    assert store.read("a", 0, 10, version=old.version) == ObjectPart(b"old", old.etag, 3)
    assert store.download("a", tmp_path / "out", old.version).version == old.version
    assert (tmp_path / "out").read_bytes() == b"old"


def test_ranges_end_with_the_object(store: ObjectStore, tmp_path: Path) -> None:
    etag = upload(store, tmp_path, "a", b"0123456789").etag
    assert store.read("a", 2, 3) == ObjectPart(b"234", etag, 10)
    assert store.read("a", 8, 100) == ObjectPart(b"89", etag, 10)
    assert store.read("a", 10, 5) == ObjectPart(b"", etag, 10)


def test_an_empty_object_has_no_bytes(store: ObjectStore, tmp_path: Path) -> None:
    etag = upload(store, tmp_path, "a", b"").etag
    assert store.read("a", 0, 5) == ObjectPart(b"", etag, 0)


def test_a_conditional_read_is_of_that_object_or_of_none(
    store: ObjectStore, tmp_path: Path
) -> None:
    old = upload(store, tmp_path, "a", b"0123456789")
    assert store.read("a", 2, 3, if_etag=old.etag).data == b"234"
    assert store.read("a", 10, 3, if_etag=old.etag).data == b""
    upload(store, tmp_path, "a", b"abc")
    for start in (0, 2, 10):
        with pytest.raises(PreconditionFailed):
            store.read("a", start, 3, if_etag=old.etag)
    with pytest.raises(ObjectMissing):
        store.read("nothing", 0, 3, if_etag=old.etag)


def test_a_conditional_put_lets_one_writer_win(store: ObjectStore) -> None:
    first = store.put("list", b"1", content_type="text/plain", if_etag="")
    with pytest.raises(PreconditionFailed):
        store.put("list", b"2", content_type="text/plain", if_etag="")
    second = store.put("list", b"2", content_type="text/plain", if_etag=first.etag)
    with pytest.raises(PreconditionFailed):
        store.put("list", b"3", content_type="text/plain", if_etag=first.etag)
    assert store.get("list")[0] == b"2"
    assert store.head("list").etag == second.etag


def test_a_conditional_put_over_nothing_fails(store: ObjectStore) -> None:
    with pytest.raises(PreconditionFailed):
        store.put("list", b"1", content_type="text/plain", if_etag="0" * 32)


def test_a_deleted_object_is_missing(backend: Any, store: ObjectStore, tmp_path: Path) -> None:
    upload(store, tmp_path, "a", b"1")
    backend.delete(store, "a")
    with pytest.raises(ObjectMissing):
        store.head("a")


PART = 5 << 20
"""The smallest part that S3 accepts, except for the last one."""


def test_a_small_put_keeps_its_metadata(store: ObjectStore) -> None:
    put = store.put("a", b"1", content_type="image/tiff", metadata={"recipe": "große-1"})
    assert store.head("a").metadata == put.metadata == {"recipe": "große-1"}


def test_parts_come_together_in_the_order_of_their_numbers(store: ObjectStore) -> None:
    bodies = {1: b"a" * PART, 2: b"b" * (PART + 1), 1_001: b"c" * PART, 1_002: b"d"}
    with (
        store.multipart("a", content_type="image/tiff", metadata={"recipe": "große-1"}) as upload,
        ThreadPoolExecutor(2) as pool,
    ):
        for number in (1_001, 1_002, 2, 1):
            pool.submit(upload.part, number, bodies[number])
    body, info = store.get("a")
    assert body == b"".join(bodies.values())
    assert info.size == len(body)
    assert info.metadata == {"recipe": "große-1"}
    assert info.version


def test_an_upload_in_parts_appears_only_when_it_is_whole(store: ObjectStore) -> None:
    with store.multipart("a", content_type="image/tiff", metadata={}) as upload:
        upload.part(1, b"1")
        with pytest.raises(ObjectMissing):
            store.head("a")
    assert store.head("a").size == 1


def test_a_failure_among_the_parts_leaves_nothing(backend: Any, store: ObjectStore) -> None:
    def fail() -> None:
        with store.multipart("a", content_type="image/tiff", metadata={}) as upload:
            upload.part(1, b"1")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with pytest.raises(ObjectMissing):
        store.head("a")
    assert not backend.unfinished_uploads(store)
