"""Notes about a published master stay short enough to travel with it."""

from vitrine.ingest.inspect.curator_notes import MAX_NOTES, shorten_notes


def test_notes_are_kept_once_and_in_order() -> None:
    assert shorten_notes(["b", "a", "b"]) == ["b", "a"]


def test_a_flood_of_notes_is_counted() -> None:
    kept = shorten_notes(f"Tag {number} was left out." for number in range(5_000))
    assert len(kept) == MAX_NOTES
    assert kept[0] == "Tag 0 was left out."
    assert kept[-1] == "There are 4,981 more notes of this kind."


def test_a_long_note_is_cut() -> None:
    assert len("".join(shorten_notes(["x" * 10_000]))) <= 300
