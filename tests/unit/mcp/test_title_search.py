"""The tool searches the index of titles as the page's script does."""

from pathlib import Path

import pytest

from tests.unit.mcp.files_visitor import BASE, visit
from tests.unit.search.titles.page_script import search
from tests.unit.search.titles.search_bench import SearchBench, print_
from vitrine.mcp.title_search import TitleSearch

TITLES = {
    "a": ("The harbour", "Anna Ångström"),
    "b": ("Harbour in the fog of a morning", "Nobody"),
    "c": ("Sea of ice and of fog", "Harbour Company"),
    "d": ("Harbourmaster", "Nobody"),
    "e": ("東京タワーの夜", "歌川広重"),
    "f": ("Straße im Nebel", "Anna Angstrom"),
    "g": ("Fog, fog, fog", "Somebody"),
}
QUERIES = (
    *("harbour", "harbours", "harb", "ha", "fog harbour", "FOG harb", "harb fog"),
    *("anna angstrom", "strasse", "東京", "京", "タワー", "the of and", "", "nowhere", "so"),
    "a b c d e f g h i j k fog",
)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[SearchBench, list[list[str]]]:
    """Objects, and what the page's script finds for each query."""
    bench = SearchBench()
    for name, (title, maker) in TITLES.items():
        bench.objects.put(print_(name, title, maker=maker))
        bench.update()  # so that each has the next number
    folder: Path = tmp_path_factory.mktemp("index")
    return bench, search(bench, folder, *((query, []) for query in QUERIES))


async def test_it_finds_what_the_page_finds_in_the_same_order(
    published: tuple[SearchBench, list[list[str]]],
) -> None:
    bench, expected = published
    files = {f"{BASE}/{key}": body for key, body in bench.files().items()}
    found = []
    for query in QUERIES:
        total, cards = await TitleSearch(visit(files)).find(query, 20)
        assert total == len(cards)
        found.append([card[1] for card in cards])
    assert found == expected
    assert sum(map(bool, expected)) == 9


async def test_it_counts_all_and_shows_the_best(
    published: tuple[SearchBench, list[list[str]]],
) -> None:
    files = {f"{BASE}/{key}": body for key, body in published[0].files().items()}
    total, cards = await TitleSearch(visit(files)).find("fog", 2)
    assert total > 2
    whole = [card[1] for card in (await TitleSearch(visit(files)).find("fog", 20))[1]]
    assert [card[1] for card in cards] == whole[:2]


async def test_a_withdrawn_object_is_not_shown() -> None:
    bench = SearchBench()
    for name in ("kept", "gone"):
        bench.objects.put(print_(name, "Print", maker="Somebody"))
    bench.update()
    files = {f"{BASE}/{key}": body for key, body in bench.files().items()}
    bench.objects.withdraw("gone", reason="A claim.")
    bench.update()
    # The page of words is the earlier one, as an edge may still have it.
    cards = {key: body for key, body in bench.files().items() if "/cards/" in key}
    files |= {f"{BASE}/{key}": body for key, body in cards.items()}
    assert [card[1] for card in (await TitleSearch(visit(files)).find("print", 9))[1]] == ["kept"]


async def test_before_anything_is_published_nothing_is_found() -> None:
    assert await TitleSearch(visit({})).find("fog", 5) == (0, [])
