"""Ranges, blocks and runs."""

import pytest

from vitrine.deliver.blocks.runs import BLOCK_BYTES, RUN_BLOCKS, blocks_of, charge, extent, runs


@pytest.mark.parametrize(
    ("ranges", "blocks"),
    [
        ([(0, 1)], [0]),
        ([(BLOCK_BYTES - 1, 1)], [0]),
        ([(BLOCK_BYTES - 1, 2)], [0, 1]),
        ([(BLOCK_BYTES, BLOCK_BYTES)], [1]),
        ([(5 * BLOCK_BYTES, 9), (3, 4), (7, 4)], [0, 5]),
        ([(9 * BLOCK_BYTES, 5 * BLOCK_BYTES)], [9]),
        ([(10 * BLOCK_BYTES, 1)], []),
        ([(0, 0), (5, -1), (-5, 3)], []),
    ],
)
def test_blocks_are_those_that_hold_a_byte(
    ranges: list[tuple[int, int]], blocks: list[int]
) -> None:
    assert blocks_of(ranges, 10 * BLOCK_BYTES) == blocks


def test_neighbours_make_one_run() -> None:
    assert list(runs([1, 2, 3, 5, 8, 9])) == [range(1, 4), range(5, 6), range(8, 10)]
    assert list(runs([])) == []


def test_no_run_is_longer_than_a_read_may_be() -> None:
    long = list(runs(range(RUN_BLOCKS * 2 + 1)))
    assert [len(run) for run in long] == [RUN_BLOCKS, RUN_BLOCKS, 1]
    assert [block for run in long for block in run] == list(range(RUN_BLOCKS * 2 + 1))


def test_the_last_run_ends_with_the_object() -> None:
    assert extent(range(1, 3), 2 * BLOCK_BYTES + 5) == (BLOCK_BYTES, BLOCK_BYTES + 5)


def test_blocks_cost_no_less_one_by_one() -> None:
    size = 3 * BLOCK_BYTES - 5000
    assert sum(charge(range(n, n + 1), size) for n in range(3)) == charge(range(3), size)
    assert charge(range(3), size) >= size
