"""What is told of a published master stays short enough to travel with it."""

from vitrine.ingest.notes import MOST_TOLD, told


def test_notes_are_told_once_and_in_order() -> None:
    assert told(["b", "a", "b"]) == ["b", "a"]


def test_a_flood_of_notes_is_counted() -> None:
    kept = told(f"Tag {number} was left out." for number in range(5_000))
    assert len(kept) == MOST_TOLD
    assert kept[0] == "Tag 0 was left out."
    assert kept[-1] == "There are 4,981 more notes of this kind."


def test_a_long_note_is_cut() -> None:
    assert len("".join(told(["x" * 10_000]))) <= 300
