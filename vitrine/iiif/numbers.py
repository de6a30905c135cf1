"""Numbers as the Image API writes them: decimal digits, no sign, no exponent."""

import re
from fractions import Fraction

from vitrine.errors import InvalidRequest

# Bounded, so that no request causes computations with thousands of digits.
_INTEGER = re.compile(r"[0-9]{1,9}", re.ASCII)
_DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,20})?", re.ASCII)


def parse_integer(text: str, what: str) -> int:
    """Parse a non-negative integer. Raises InvalidRequest naming `what`."""
    if not _INTEGER.fullmatch(text):
        raise InvalidRequest(f"{what} must be a whole number, not {text[:40]!r}")
    return int(text)


def parse_decimal(text: str, what: str) -> Fraction:
    """Parse a non-negative decimal number exactly. Raises InvalidRequest naming `what`."""
    if not _DECIMAL.fullmatch(text):
        raise InvalidRequest(f"{what} must be a decimal number, not {text[:40]!r}")
    return Fraction(text)


def scaled(length: int, numerator: int, denominator: int) -> int:
    """Multiply `length` by a ratio, rounded to the nearest integer, halves up, at least 1."""
    return max(1, (2 * length * numerator + denominator) // (2 * denominator))


def rounded(value: Fraction) -> int:
    """Round to the nearest integer, halves up."""
    return int(value + Fraction(1, 2))
