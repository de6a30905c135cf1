"""What it costs to read one name of a journal, whatever else the bucket has."""

from unittest.mock import patch

import pytest

from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import PreconditionFailed
from vitrine.ports import KeyPage
from vitrine.store.layout import journal_key
from vitrine.store.revisions import KEPT_BYTES, Revisions, has_entries, list_folder

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


def test_an_entry_that_was_just_read_or_written_is_not_read_again(store: MemoryObjectStore) -> None:
    journal = _journal(store)
    journal.append("new", 1, "first")
    with patch.object(store, "get", wraps=store.get) as get:
        assert journal.latest("new") == "first"
        assert [journal.entry("letter", 2), journal.latest("letter")] == ["letter", "letter"]
    assert get.call_count == 1


def test_there_is_no_entry_before_the_first(store: MemoryObjectStore) -> None:
    with patch.object(store, "get", wraps=store.get) as get:
        assert _journal(store).entry("letter", 0) is None
    assert get.call_count == 0


def test_an_entry_that_another_wrote_is_not_taken_for_ours(store: MemoryObjectStore) -> None:
    journal = _journal(store)
    _journal(store).append("new", 1, "theirs")
    with pytest.raises(PreconditionFailed):
        journal.append("new", 1, "ours")
    assert journal.latest("new") == "theirs"


def test_entries_in_memory_are_bounded_by_their_bytes(store: MemoryObjectStore) -> None:
    journal, half = _journal(store), "x" * (KEPT_BYTES // 2)
    for name in ("a", "b", "c"):
        journal.append(name, 1, half)
    journal.append("large", 1, half * 3)
    with patch.object(store, "get", wraps=store.get) as get:
        for name in ("c", "b", "a", "b"):
            assert journal.entry(name, 1) == half
    get.assert_called_once_with(journal_key("a", 1, ROOT))
