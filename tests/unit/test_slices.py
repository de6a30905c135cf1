"""A slice of work ends while there is time to hand on the rest."""

from vitrine.slices import WHOLE, Slice


def test_batches_end_with_the_time() -> None:
    left = iter([300, 200, 100])
    found = list(Slice(lambda: next(left), 100).batches(range(10), 2))
    assert found == [[0, 1], [2, 3]]


def test_a_whole_run_yields_everything() -> None:
    assert list(WHOLE.batches(range(5), 2)) == [[0, 1], [2, 3], [4]]


def test_the_reserve_is_no_time_for_steps() -> None:
    assert Slice(lambda: 5_000, 2_000).seconds_left() == 3
    assert Slice(lambda: 1_000, 2_000).seconds_left() == 0
