"""What it costs to read one name of a journal, whatever else the bucket has."""

from unittest.mock import patch

import pytest

from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.ports import KeyPage
from vitrine.store.revisions import Revisions, has_entries, list_folder

OTHERS = 50
ROOT = "objects/"


@pytest.fixture
def store() -> MemoryObjectStore:
    """A bucket with two entries of `letter`, among those of many others."""
    store = MemoryObjectStore()
    names = ["letter", "letter", *(f"other-{number}" for number in range(OTHERS))]
    for number, name in enumerate(names, start=1):
        _journal(store).append(name, number, name)
    return store


def _journal(store: MemoryObjectStore) -> Revisions[str]:
    return Revisions(store, ROOT, str.encode, bytes.decode)


def test_reading_one_name_lists_nothing_else(store: MemoryObjectStore) -> None:
    """S3 would give a thousand keys behind it, which take longer to read than all the rest."""
    listed: list[str] = []
    whole = store.list_keys

    def list_keys(after: str, limit: int, *, prefix: str) -> KeyPage:
        page = whole(after, limit, prefix=prefix)
        listed.extend(entry.key for entry in page.entries)
        return page

    with patch.object(store, "list_keys", list_keys):
        journal = _journal(store)
        assert journal.latest("letter") == "letter"
        assert journal.newest_revision("letter") == 2
        assert journal.latest("lette") is None
        assert has_entries(store, ROOT)
    assert len(listed) == 2 + 2 + 0 + 1


def test_a_folder_may_have_more_keys_than_a_page(store: MemoryObjectStore) -> None:
    whole = store.list_keys

    def list_keys(after: str, limit: int, *, prefix: str) -> KeyPage:
        return whole(after, min(limit, 7), prefix=prefix)

    with patch.object(store, "list_keys", list_keys):
        assert len(list(list_folder(store, ROOT))) == 2 + OTHERS
        assert sorted({*_journal(store).identifiers()}) == sorted(
            {"letter", *(f"other-{number}" for number in range(OTHERS))}
        )


def test_a_folder_without_keys_has_no_entries(store: MemoryObjectStore) -> None:
    assert not has_entries(store, "texts/")
    assert has_entries(store, "obj")
