import pytest

from capacity.validation.museum.museum_tables import MIX, LocustTable, table, tables


@pytest.mark.parametrize("published", tables(), ids=lambda t: f"{t.server}-{t.connections}")
def test_lines_add_up_to_the_printed_totals(published: LocustTable) -> None:
    rows = published.rows.values()
    assert sum(row.requests for row in rows) == published.total.requests
    assert sum(row.failures for row in rows) == published.total.failures
    mean_bytes = sum(row.requests * row.bytes for row in rows) / published.total.requests
    assert mean_bytes == pytest.approx(published.total.bytes, abs=1)


def test_both_loaded_ptiff_tests_moved_the_same_bytes_per_second() -> None:
    hundred, thousand = (table("iipsrv-ptiff", n).bytes_per_second for n in (100, 1000))
    assert hundred == pytest.approx(12.134e6, rel=1e-3)
    assert thousand == pytest.approx(hundred, rel=1e-3)


def test_users_paused_some_55_ms() -> None:
    pauses = [
        round(1000 * table(server, 10).think_seconds, 1)
        for server in ("iipsrv-ptiff", "iipsrv-jp2", "cantaloupe-jp2")
    ]
    assert pauses == [57.7, 54.9, 55.8]


def test_ten_users_keep_to_their_lists_as_the_tables_give_away() -> None:
    assert table("iipsrv-ptiff", 10).users() == {"small": 1, "medium": 2, "large": 7}
    assert table("iipsrv-jp2", 10).users() == {"small": 1, "medium": 6, "large": 3}
    assert table("cantaloupe-jp2", 10).users() == {"small": 3, "medium": 4, "large": 3}


def test_derivatives_were_asked_for_ten_to_four_to_ten_to_one() -> None:
    for published in tables():
        attempts = {"tile": 0, "1024": 0, "128": 0, "4096": 0}
        for (_, derivative), row in published.rows.items():
            attempts[derivative] += row.requests + row.failures
        shares = [count / sum(attempts.values()) for count in attempts.values()]
        assert shares == pytest.approx([part / sum(MIX) for part in MIX], abs=0.01)
