"""What an index keeps in files is what was put there."""

from array import array
from pathlib import Path

from vitrine.search.titles.kept_files import KeptCards, KeptNumbers
from vitrine.site.pages.cards import Card


def card(name: str) -> Card:
    return Card("manifest", name, {"en": f"Title\nof {name}"}, "", "", 0, 0)


def test_cards_come_back_by_number_in_groups_without_those_that_are_empty(tmp_path: Path) -> None:
    cards = KeptCards(tmp_path / "cards")
    for number in (70, 3, 1):
        cards.add(number, card(f"n{number}"))
    groups = dict(cards.groups(4))
    assert (list(groups), len(cards)) == ([0, 17], 3)
    assert [bool(one) for one in groups[0]] == [False, True, False, True]
    assert (cards.card(3), cards.card(70)) == (card("n3"), card("n70"))
    assert (cards.read(2), cards.read(1_000)) == (b"", b"")
    cards.close()


def test_lists_of_numbers_come_back_by_name(tmp_path: Path) -> None:
    lists = KeptNumbers(tmp_path / "lists")
    for name, numbers in (("one", [1, 2**32 - 1]), ("other", [5]), ("empty", [])):
        lists.add(name, array("I", numbers))
    assert (list(lists.read("one")), list(lists.read("other"))) == ([1, 2**32 - 1], [5])
    assert [lists.count(name) for name in ("one", "empty", "none")] == [2, 0, 0]
    assert not lists.read("none")
    lists.close()
