"""What nginx keeps in the simulation, as ADR 0018 says it does."""

import pytest

from capacity.engine.clock import SECOND
from capacity.model.kept_tiles import KEYS_A_MEBIBYTE, KeptTiles

LIFETIME = 30 * SECOND


@pytest.fixture
def kept() -> KeptTiles:
    return KeptTiles(LIFETIME, 1)


def test_nginx_answers_from_the_third_request_on(kept: KeptTiles) -> None:
    assert [kept.has(1, 7, second * SECOND) for second in range(4)] == [False, False, True, True]
    assert (kept.hits, kept.requests) == (2, 4)


def test_a_tile_is_kept_until_its_record_is_read_again(kept: KeptTiles) -> None:
    for second in (0, 1, 2):
        kept.has(1, 7, second * SECOND)
    assert kept.keeps(1, 19 * SECOND)
    assert not kept.keeps(1, 20 * SECOND)
    assert not kept.has(1, 7, 20 * SECOND)


def test_tiles_that_nobody_requests_in_a_lifetime_are_counted_again(kept: KeptTiles) -> None:
    for second in (0, 1):
        kept.has(1, 7, second * SECOND)
    assert [kept.has(1, 7, second * SECOND) for second in (40, 41, 42)] == [False, False, True]


def test_what_was_requested_longest_ago_goes_first(kept: KeptTiles) -> None:
    for key in (1, 1, 2, 2):
        kept.has(key, 7, 0)
    kept.has(1, 7, 0)
    for key in range(3, KEYS_A_MEBIBYTE + 2):
        kept.has(key, 7, 0)
    assert kept.keeps(1, SECOND)
    assert not kept.keeps(2, SECOND)


def test_asking_whether_it_is_kept_counts_nothing(kept: KeptTiles) -> None:
    for _ in range(3):
        assert not kept.keeps(1, 0)
    assert kept.requests == 0


def test_a_cache_of_nothing_keeps_nothing() -> None:
    kept = KeptTiles(LIFETIME, 0)
    assert not any(kept.has(1, 7, 0) for _ in range(5))
