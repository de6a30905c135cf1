"""Where a state is lost, all is made again and nothing is left."""

import gzip

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


@pytest.mark.slow
def test_without_a_state_all_is_made_again_and_what_is_withdrawn_is_nowhere(
    bench: SearchBench,
) -> None:
    for number in range(2, 40):
        bench.objects.withdraw(f"p{number}", "A claim.")
    bench.site.purge(STATE)
    result = bench.update()
    assert (result.objects, bench.json("cards/1")) == (2, {})
    assert "Nothing is listed here any more" in bench.page("browse/maker/maker-7")
    assert "Print 7" not in texts(bench)
    assert bench.update().written == 0
