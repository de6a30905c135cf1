"""Where a state is lost, or earlier versions had one, all is made again and nothing is left."""

import gzip
from pathlib import Path

import pytest

from tests.unit.present.objects.object_bench import BASE
from tests.unit.present.search.search_bench import SearchBench, print_
from vitrine.adapters.memory.faults import Breaking
from vitrine.errors import ObjectMissing, TransientError
from vitrine.present.search.stored_state import STATE, read_state
from vitrine.present.search.update import update_search
from vitrine.store.site_layout import PREVIOUS_SEARCH_CLAIM, PREVIOUS_SEARCH_ROWS

PREVIOUS = (PREVIOUS_SEARCH_CLAIM, PREVIOUS_SEARCH_ROWS)


@pytest.fixture
def bench() -> SearchBench:
    bench = SearchBench()
    for number in range(40):
        bench.objects.put(print_(f"p{number}", f"Print {number}", maker=f"Maker {number}"))
    bench.update()
    return bench


def leave_previous_state(bench: SearchBench) -> None:
    """Let the state lie where an earlier version wrote it."""
    rows, _ = bench.site.get(STATE)
    bench.site.put(PREVIOUS_SEARCH_ROWS, rows, content_type="application/gzip")
    claim = b'{"until":"","unfinished":false}'
    bench.site.put(PREVIOUS_SEARCH_CLAIM, claim, content_type="application/json")


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


@pytest.mark.slow
def test_what_an_earlier_version_left_is_emptied_once(bench: SearchBench) -> None:
    leave_previous_state(bench)
    bench.site.purge(STATE)
    bench.objects.withdraw("p7", "A claim.")
    assert '"p7"' in texts(bench)
    bench.update()
    assert set(PREVIOUS) <= set(bench.written())
    assert {bench.site.head(key).metadata["status"] for key in PREVIOUS} == {"404"}
    assert [one for one in ('"p7"', "Print 7") if one in texts(bench)] == []
    bench.update()
    assert bench.written() == []


@pytest.mark.slow
def test_where_nothing_was_left_nothing_is_written(bench: SearchBench) -> None:
    for key in PREVIOUS:
        with pytest.raises(ObjectMissing):
            bench.site.head(key)


@pytest.mark.slow
def test_all_is_written_again_if_an_earlier_version_wrote_in_between(bench: SearchBench) -> None:
    leave_previous_state(bench)
    before = bench.files()["browse/maker/maker-7"]
    bench.site.put("browse/maker/maker-7", b"as it was", content_type="text/html")
    broken = Breaking(bench.site, every=1, methods=frozenset({"upload"}))
    with pytest.raises(TransientError):
        update_search(broken, BASE)
    bench.site.put("browse/maker/maker-7", b"as it was", content_type="text/html")
    bench.update()
    assert bench.files()["browse/maker/maker-7"] == before


@pytest.mark.slow
def test_an_earlier_version_takes_what_is_emptied_for_no_state(
    bench: SearchBench, tmp_path: Path
) -> None:
    leave_previous_state(bench)
    bench.update()
    body, _ = bench.site.get(PREVIOUS_SEARCH_ROWS)
    bench.site.put(STATE, body, content_type="application/gzip")
    assert read_state(bench.site, tmp_path).head is None
    assert bench.site.get(PREVIOUS_SEARCH_CLAIM)[0] == b"{}"
