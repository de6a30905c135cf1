"""2^k factorial analysis: how much of a response each factor explains, in exact arithmetic.

The method of Jain, *The Art of Computer Systems Performance Analysis*, chapter 17, as CS-TR-3970
uses it for its table 8.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import combinations, product
from math import prod
from string import ascii_uppercase

Number = int | float | str | Decimal | Fraction
"""A float counts as the decimal number it prints as: 11.28 is 1128/100."""


@dataclass(frozen=True)
class FactorialAnalysis:
    """Effects of k factors (A, B, C, …) and of their interactions (AB, ABC, …) on one response.

    `effects` also has the mean. `variation` is in percent and adds up to 100, or is all zero
    where the response never varies.
    """

    factors: Mapping[str, str]
    effects: Mapping[str, Fraction]
    variation: Mapping[str, Fraction]


def two_level(
    factors: Sequence[str] | Mapping[str, object],
    responses: Sequence[Number] | Mapping[tuple[int, ...], Number],
) -> FactorialAnalysis:
    """Analyse one response measured at both levels of each factor.

    `factors` are their names, the first becomes A. `responses` are either in standard order (A
    changes fastest, -1 before 1: the rows of the paper's table 7), or by levels, {(-1, 1): …}.
    Raises ValueError when there are not exactly 2^k responses for k factors.
    """
    names = list(factors)
    if not 1 <= len(names) <= len(ascii_uppercase):
        raise ValueError(f"one to {len(ascii_uppercase)} factors, not {len(names)}")
    letters = ascii_uppercase[: len(names)]
    rows = [levels[::-1] for levels in product((-1, 1), repeat=len(names))]
    values = _in_order(rows, responses)
    effects = {
        "".join(letters[factor] for factor in chosen) or "mean": _sum_effect(chosen, rows, values)
        for size in range(len(names) + 1)
        for chosen in combinations(range(len(names)), size)
    }
    squares = {key: effect**2 for key, effect in effects.items() if key != "mean"}
    total = sum(squares.values()) or Fraction(1)
    variation = {key: 100 * square / total for key, square in squares.items()}
    return FactorialAnalysis(dict(zip(letters, names, strict=True)), effects, variation)


def _sum_effect(
    chosen: tuple[int, ...], rows: list[tuple[int, ...]], values: list[Fraction]
) -> Fraction:
    signs = (prod(row[factor] for factor in chosen) for row in rows)
    signed = (sign * value for sign, value in zip(signs, values, strict=True))
    return sum(signed, Fraction(0)) / len(rows)


def round_printed(value: Fraction, digits: int) -> str:
    """Format with `digits` behind the point, ties away from zero, as tables are printed."""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    # Decimal division is cut at 28 digits; a tie ends long before, so it stays one.
    return str(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def _in_order(
    rows: list[tuple[int, ...]], responses: Sequence[Number] | Mapping[tuple[int, ...], Number]
) -> list[Fraction]:
    if len(responses) != len(rows):
        raise ValueError(f"these factors need {len(rows)} responses, not {len(responses)}")
    if isinstance(responses, Mapping):
        missing = [row for row in rows if row not in responses]
        if missing:
            raise ValueError(f"no response for the levels {missing[0]}")
        return [_exact_fraction(responses[row]) for row in rows]
    return [_exact_fraction(response) for response in responses]


def _exact_fraction(number: Number) -> Fraction:
    return Fraction(str(float(number))) if isinstance(number, float) else Fraction(number)
