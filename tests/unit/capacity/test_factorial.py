from fractions import Fraction
from itertools import product

import pytest

from capacity.validation.microscope.factorial import round_printed, two_level
from capacity.validation.microscope.published_tables import (
    TABLE_7,
    TABLE_8_EFFECTS,
    TABLE_8_VARIATION,
)

PRINTED_WRONG = {("proxy", "B"): ".057"}
"""The one effect of table 8 that does not follow from table 7: the paper has .058."""


def _digits(number: str) -> int:
    return len(number.partition(".")[2])


@pytest.mark.parametrize("metric", TABLE_7)
def test_table_7_gives_table_8_to_the_printed_digits_but_for_one(metric: str) -> None:
    analysis = two_level(("A", "B"), TABLE_7[metric])
    for key, expected in TABLE_8_EFFECTS[metric].items():
        found = round_printed(analysis.effects[key], _digits(expected))
        if (metric, key) in PRINTED_WRONG:
            assert found != expected
            assert found == "0" + PRINTED_WRONG[metric, key]
        else:
            assert found == expected
    for key, expected in TABLE_8_VARIATION[metric].items():
        assert round_printed(analysis.variation[key], _digits(expected)) == expected


def test_floats_count_as_the_decimals_they_print_as() -> None:
    floats = two_level(("A", "B"), [11.28, 29.29, 249.92, 683.71])
    assert floats == two_level(("A", "B"), TABLE_7["response"])
    assert floats.effects["B"] == Fraction(223265, 1000)


def test_responses_may_come_by_levels() -> None:
    by_levels = {(1, 1): 4, (-1, -1): 1, (1, -1): 2, (-1, 1): 3}
    assert two_level(["x", "y"], by_levels) == two_level(["x", "y"], [1, 2, 3, 4])


def test_effects_of_three_factors_give_the_responses_back() -> None:
    rows = [levels[::-1] for levels in product((-1, 1), repeat=3)]
    responses = [3, 1, 4, 1, 5, 9, 2, 6]
    analysis = two_level("xyz", responses)
    assert list(analysis.effects) == ["mean", "A", "B", "C", "AB", "AC", "BC", "ABC"]
    for (a, b, c), response in zip(rows, responses, strict=True):
        signs = {"A": a, "B": b, "C": c, "AB": a * b, "AC": a * c, "BC": b * c, "ABC": a * b * c}
        effects = analysis.effects
        assert effects["mean"] + sum(signs[key] * effects[key] for key in signs) == response
    assert sum(analysis.variation.values()) == 100


def test_a_response_that_never_varies_has_no_variation_to_explain() -> None:
    assert set(two_level(("A", "B"), [7, 7, 7, 7]).variation.values()) == {0}


@pytest.mark.parametrize(
    ("factors", "responses"),
    [(("A", "B"), [1, 2, 3]), ((), [1]), (("A",), {(-1,): 1, (2,): 2})],
)
def test_responses_that_do_not_fit_the_factors_are_refused(
    factors: object, responses: object
) -> None:
    with pytest.raises(ValueError, match=r"factors|response"):
        two_level(factors, responses)  # type: ignore[arg-type]


def test_ties_are_printed_away_from_zero() -> None:
    assert round_printed(Fraction("103.945"), 2) == "103.95"
    assert round_printed(Fraction("-0.000625"), 5) == "-0.00063"
