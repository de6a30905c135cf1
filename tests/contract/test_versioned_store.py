"""What every VersionedStore promises."""

import pytest

from tests.contract.backends import Backend
from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.ports import VersionedStore


@pytest.fixture
def store(backend: Backend) -> VersionedStore:
    """An empty bucket."""
    store = backend.store()
    assert hasattr(store, "list_keys")
    return store


def put(store: VersionedStore, *keys: str) -> None:
    for key in keys:
        store.put(key, b"1", content_type="")


def test_an_empty_bucket_lists_nothing(store: VersionedStore) -> None:
    page = store.list_keys()
    assert (page.entries, page.next) == ([], "")


def test_keys_are_listed_page_by_page_in_order(store: VersionedStore) -> None:
    keys = sorted(["a/1", "a b%20", "ä", "日本", "Z", "a/2", "\U0001f5bc"], key=str.encode)
    put(store, *keys)
    found, after = [], ""
    for _ in range(len(keys)):
        page = store.list_keys(after, limit=2)
        found += [entry.key for entry in page.entries]
        after = page.next
        if not after:
            break
    assert found == keys


def test_a_folder_is_listed_alone_from_any_place(store: VersionedStore) -> None:
    put(store, *["a/1", "a/2", "a/3", "a0", "b/1", "Z", "\u00e9/1"])
    found, after = [], ""
    for _ in range(3):
        page = store.list_keys(after, limit=2, prefix="a/")
        found.append([entry.key for entry in page.entries])
        after = page.next
        if not after:
            break
    assert found == [["a/1", "a/2"], ["a/3"]]
    assert [entry.key for entry in store.list_keys("a/2", prefix="a/").entries] == ["a/3"]
    assert store.list_keys("b", prefix="a/").entries == []
    assert [entry.key for entry in store.list_keys(prefix="\u00e9").entries] == ["\u00e9/1"]


def test_only_the_newest_version_is_listed(store: VersionedStore) -> None:
    put(store, *["a"] * 5, "b")
    entries, after = [], ""
    while True:
        page = store.list_keys(after, limit=2)
        entries += page.entries
        after = page.next
        if not after:
            break
    assert [(entry.key, entry.version) for entry in entries] == [
        ("a", store.head("a").version),
        ("b", store.head("b").version),
    ]
    # A listing may know the moment more exactly than a HEAD.
    assert entries[0].modified[:19] == store.head("a").modified[:19]


def test_a_deletion_is_listed_and_named(store: VersionedStore) -> None:
    put(store, "a", "b")
    store.delete("a")
    deleted, existing = store.list_keys().entries
    assert (deleted.key, deleted.deleted) == ("a", True)
    assert (existing.key, existing.deleted) == ("b", False)
    with pytest.raises(ObjectMissing) as missing:
        store.head("a")
    assert missing.value.deletion == deleted.version != ""
    store.delete("a")
    with pytest.raises(ObjectMissing) as again:
        store.get("a")
    assert again.value.deletion not in ("", deleted.version)


def test_what_never_was_names_no_deletion(store: VersionedStore) -> None:
    with pytest.raises(ObjectMissing) as missing:
        store.head("nothing")
    assert missing.value.deletion == ""


def test_tags_replace_each_other(store: VersionedStore) -> None:
    put(store, "a b/ä.tif")
    assert store.tags("a b/ä.tif") == {}
    store.tag("a b/ä.tif", {"superseded": "true"})
    assert store.tags("a b/ä.tif") == {"superseded": "true"}
    store.tag("a b/ä.tif", {})
    assert store.tags("a b/ä.tif") == {}


def test_a_new_version_has_no_tags(store: VersionedStore) -> None:
    put(store, "a")
    store.tag("a", {"superseded": "true"})
    put(store, "a")
    assert store.tags("a") == {}


def test_what_is_not_there_cannot_be_tagged(store: VersionedStore) -> None:
    put(store, "a")
    store.delete("a")
    for key in ("a", "nothing"):
        with pytest.raises(ObjectMissing):
            store.tag(key, {"superseded": "true"})
        with pytest.raises(ObjectMissing):
            store.tags(key)


def test_a_copy_in_place_is_a_new_version_with_other_metadata(store: VersionedStore) -> None:
    key = "a b/ä%20.tif"
    first = store.put(key, b"bytes", content_type="image/tiff", metadata={"identifier": "alt"})
    copied = store.copy_in_place(key, {"identifier": "neu ä"}, if_etag=first.etag)
    body, newest = store.get(key)
    assert (body, dict(newest.metadata)) == (b"bytes", {"identifier": "neu ä"})
    assert newest.version == copied.version != first.version
    assert copied.modified >= first.modified[:19]


def test_only_what_was_seen_is_copied_in_place(store: VersionedStore) -> None:
    first = store.put("a", b"1", content_type="")
    store.put("a", b"2", content_type="")
    with pytest.raises(PreconditionFailed):
        store.copy_in_place("a", {}, if_etag=first.etag)
    assert store.get("a")[0] == b"2"
    with pytest.raises(ObjectMissing):
        store.copy_in_place("nothing", {}, if_etag=first.etag)
