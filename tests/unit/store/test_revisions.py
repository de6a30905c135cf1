"""What it costs to read one name of a journal, whatever else the bucket has."""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        assert journal.latest("lette") is None
        assert has_entries(store, ROOT)
    assert len(listed) == 2 + 0 + 1


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


@given(
    entries=st.dictionaries(st.text("ab/é", min_size=1, max_size=3), st.integers(1, 40)),
    others=st.lists(st.text("ab/é", min_size=1, max_size=3)),
)
def test_many_names_have_the_revisions_that_each_has(
    entries: dict[str, int], others: list[str]
) -> None:
    store = MemoryObjectStore()
    for name, count in entries.items():
        for revision in range(1, count + 1):
            _journal(store).append(name, revision, name)
    store.put("objects0", b"", content_type="")  # is behind the folder
    names = {*others, *list(entries)[::2]}
    assert _journal(store).find_newest(names) == {name: entries.get(name, 0) for name in names}


def _count_lists(store: MemoryObjectStore, names: list[str]) -> int:
    with patch.object(store, "list_keys", wraps=store.list_keys) as list_keys:
        _journal(store).find_newest(names)
    return len(list_keys.call_args_list)


def test_names_among_many_others_are_listed_once_each() -> None:
    store = MemoryObjectStore()
    for number in range(2_000):
        _journal(store).append(f"other-{number}", 1, "")
    assert _count_lists(store, [f"other-{number}" for number in range(0, 2_000, 100)]) <= 20


def test_all_names_of_a_journal_are_listed_together() -> None:
    store, names = MemoryObjectStore(), [f"name-{number}" for number in range(2_000)]
    for name in names:
        _journal(store).append(name, 1, "")
    assert _count_lists(store, names) <= 16 * 3


def test_a_name_of_many_revisions_is_listed_by_longer_and_longer_pages() -> None:
    store = MemoryObjectStore()
    for revision in range(1, 1_000):
        _journal(store).append("letter", revision, "")
    assert _count_lists(store, ["letter"]) <= 7
