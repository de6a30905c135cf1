"""The function before searches in texts writes one query for every spelling of a search."""

import pytest

from tests.unit.edge.edge_function import event, run_function
from vitrine.edge.functions import CONTENT_SEARCH_REQUEST
from vitrine.edge.policies import SEARCH_FIELDS
from vitrine.search.content.motivations import MAX_MOTIVATION_LENGTH, read_motivations

EVERYTHING = "q=a&motivation=tagging&page=2&min=3&start=4&date=1&user=2"
ADDRESSES = ("/inside/3/book/search-2", "/inside/3/book/terms-2", "/inside/3/search-2")


def query(uri: str) -> dict[str, str]:
    """The query that goes on."""
    (answer,) = run_function([event("GET", uri)], CONTENT_SEARCH_REQUEST)
    return {name: one["value"] for name, one in answer["querystring"].items()}


def test_all_that_it_writes_is_part_of_the_key_and_reaches_the_search() -> None:
    written = {name for address in ADDRESSES for name in query(f"{address}?{EVERYTHING}")}
    assert written == set(SEARCH_FIELDS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("oa:Tagging+commenting+TAGGING", "commenting%20tagging"),
        ("http%3A%2F%2Fwww.w3.org%2Fns%2Foa%23tagging", "tagging"),
        ("oa%3A", None),
        ("+", None),
    ],
)
def test_motivations_have_one_spelling_that_the_search_reads_alike(
    given: str, kept: str | None
) -> None:
    assert query(f"{ADDRESSES[0]}?q=a&motivation={given}").get("motivation") == kept


@pytest.mark.slow
@pytest.mark.parametrize("text", ["oa:", "sc:", " oa:  sc: ", "http://www.w3.org/ns/oa#"])
def test_a_prefix_alone_asks_for_nothing_at_the_edge_and_behind_it(text: str) -> None:
    given = text.replace("#", "%23").replace(" ", "+")
    assert "motivation" not in query(f"{ADDRESSES[0]}?q=a&motivation={given}")
    assert read_motivations(text, 2) is None


def test_what_gets_longer_in_small_letters_is_refused_at_the_edge() -> None:
    dotted = "%C4%B0" * MAX_MOTIVATION_LENGTH
    (answer,) = run_function(
        [event("GET", f"{ADDRESSES[0]}?q=a&motivation={dotted}")], CONTENT_SEARCH_REQUEST
    )
    assert answer["statusCode"] == 400
