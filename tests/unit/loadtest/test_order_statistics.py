"""One definition of a median, of a percentile, and of when the generator was the limit."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadtest.figures.generator_limit import is_generator_limited
from loadtest.figures.order_statistics import median, percentile, rounded_median

REPOSITORY = Path(__file__).parents[3]
DEFINITION = REPOSITORY / "loadtest/figures/order_statistics.py"
NAMES = {"median", "percentile", "quantile", "quantiles", "nanpercentile", "nanmedian"}


def test_a_median_is_the_middle_or_the_mean_of_both() -> None:
    assert (median([3, 1, 2]), median([4, 1, 2, 3])) == (2, 2.5)
    assert (rounded_median([None, 1, 2.00005]), rounded_median([None])) == (1.5, None)


@pytest.mark.parametrize(("percent", "expected"), [(0, 1), (50, 5), (51, 6), (95, 10), (100, 10)])
def test_a_percentile_is_the_nearest_rank(percent: int, expected: int) -> None:
    assert percentile([10, 1, 9, 2, 8, 3, 7, 4, 6, 5], percent) == expected


def test_a_generator_that_uses_four_fifths_of_its_core_was_not_yet_the_limit() -> None:
    assert [is_generator_limited(cores) for cores in (0.8, 0.81)] == [False, True]


def test_nobody_else_defines_them() -> None:
    elsewhere = [
        f"{path.relative_to(REPOSITORY)}:{line}"
        for folder in ("loadtest", "capacity")
        for path in sorted((REPOSITORY / folder).rglob("*.py"))
        if path != DEFINITION
        for line in lines_with_another(ast.parse(path.read_text()))
    ]
    assert elsewhere == []


def lines_with_another(tree: ast.Module) -> Iterator[int]:
    """The lines where a median or a percentile of another library is used."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="statistics" | "numpy", names=names):
                if NAMES & {name.name for name in names}:
                    yield node.lineno
            case ast.Attribute(value=ast.Name(id="statistics" | "np" | "numpy"), attr=attribute):
                if attribute in NAMES:
                    yield node.lineno
