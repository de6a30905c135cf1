"""Where a state is lost, all is made again and nothing is left."""

import gzip
from collections.abc import Callable

import pytest

from tests.unit.search.titles.search_bench import SearchBench, print_
from vitrine.search.titles.stored_state import STATE


@pytest.fixture
def bench() -> SearchBench:
    bench = SearchBench()
    for number in range(40):
        bench.objects.put(print_(f"p{number}", f"Print {number}", maker=f"Maker {number}"))
    bench.update()
    return bench


def texts(bench: SearchBench) -> str:
    """What everything below addresses of search and facets says."""
    bodies = bench.files().values()
    plain = (gzip.decompress(one) if one[:2] == b"\x1f\x8b" else one for one in bodies)
    return "".join(one.decode() for one in plain)


def purge(bench: SearchBench) -> None:
    bench.site.purge(STATE)


def cut(bench: SearchBench) -> None:
    body, _ = bench.site.get(STATE)
    bench.site.put(STATE, body[: len(body) // 2], content_type="x/y")


def replace_bytes(bench: SearchBench) -> None:
    body, _ = bench.site.get(STATE)
    place = len(body) * 3 // 4
    bench.site.put(STATE, body[:place] + b"?" * 9 + body[place + 9 :], content_type="x/y")


@pytest.mark.slow
@pytest.mark.parametrize("lose", [purge, cut, replace_bytes])
def test_without_a_state_all_is_made_again_and_what_is_withdrawn_is_nowhere(
    bench: SearchBench, lose: Callable[[SearchBench], None]
) -> None:
    for number in range(2, 40):
        bench.objects.withdraw(f"p{number}", "A claim.")
    lose(bench)
    result = bench.update()
    assert (result.objects, bench.json("cards/1")) == (2, {})
    assert "Nothing is listed here any more" in bench.page("browse/maker/maker-7")
    assert "Print 7" not in texts(bench)
    assert bench.update().written == 0
