"""Numbers, dates and durations as the formats of a spreadsheet show them (ECMA-376, 18.8.31)."""

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal

_SECTION = re.compile(r'(?:"[^"]*"|\\.|[^;"\\])*', re.DOTALL)
_TOKEN = re.compile(
    r'"(?P<text>[^"]*)"|\\(?P<sign>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|(?P<condition>\[[<>=][^\]]*\])'
    r"|\[[^\]]*\]|[_*].|(?P<digit>[0#?])|(?P<point>\.)|(?P<comma>,)|(?P<other>.)",
    re.DOTALL,
)
_LITERALS = frozenset("-+/():!^&'~{}<>=$€£¥% ")
_NO_DATE = re.compile(r'"[^"]*"|\\.|\[\$[^\]]*\]', re.DOTALL)


def show_value(value: object, code: str = "") -> str:
    """Return the value of a cell as a format shows it.

    Dates are written as ISO 8601 has them, no more precise than the format; numbers without
    thousands separators, since the file does not say whose. A number whose format is not known is
    written in full.
    """
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return _show_number(value, code)
        case timedelta():
            return _show_duration(value, _NO_DATE.sub("", code).lower())
        case datetime() | date() | time():
            return _show_moment(value, _NO_DATE.sub("", code).lower())
        case _:
            return str(value)


def plain_number(value: float) -> str:
    """Return a number without format: whole ones without point."""
    return str(int(value)) if float(value).is_integer() else str(value)


def _show_number(value: float, code: str) -> str:
    sections = [found[0] for found in _SECTION.finditer(code)][::2] if ";" in code else [code]
    number = Decimal(repr(value))
    sign = "-" if value < 0 else ""
    section = sections[0]
    if value < 0 and len(sections) > 1:
        section, sign = sections[1], ""
    elif not value and len(sections) > 2:
        section = sections[2]
    tokens = list(_TOKEN.finditer(section))
    if not _is_known(tokens):
        return plain_number(value)
    if any(token["other"] == "%" for token in tokens):
        number *= 100
    return sign + _fill(tokens, abs(number))


def _is_known(tokens: list[re.Match[str]]) -> bool:
    """Return whether digits stand among literals only: no fraction, exponent, scale or date."""
    kinds = [token.lastgroup for token in tokens]
    digits = [place for place, kind in enumerate(kinds) if kind == "digit"]
    if not digits or "condition" in kinds or kinds.count("point") > 1:
        return False
    last = kinds.index("point") if "point" in kinds else digits[-1]
    others = [(place, token["other"]) for place, token in enumerate(tokens) if token["other"]]
    return all(
        sign in _LITERALS and not (sign == "/" and digits[0] < place < digits[-1])
        for place, sign in others
    ) and all(place < last for place, kind in enumerate(kinds) if kind == "comma")


def _fill(tokens: list[re.Match[str]], number: Decimal) -> str:
    """Return a format with the digits of a number in its places, the whole part from the right."""
    kinds = [token.lastgroup for token in tokens]
    point = kinds.index("point") if "point" in kinds else len(kinds)
    decimals = kinds[point:].count("digit")
    rounded = number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    whole, _, fraction = f"{rounded:f}".partition(".")
    whole = whole if whole != "0" else ""
    written: dict[int, str] = {}
    places = [place for place in range(point) if kinds[place] == "digit"]
    for place in reversed(places):
        whole, digit = whole[:-1], whole[-1:]
        written[place] = digit or ("0" if tokens[place]["digit"] == "0" else "")
    if places:
        written[places[0]] = whole + written[places[0]]
    behind = [place for place in range(point, len(kinds)) if kinds[place] == "digit"]
    for place, digit in reversed(list(zip(behind, fraction, strict=True))):
        needed = tokens[place]["digit"] == "0" or any(
            written[other] for other in behind if other > place
        )
        written[place] = digit if needed or digit != "0" else ""
    shows_fraction = any(written[place] for place in behind)
    parts = []
    for place, token in enumerate(tokens):
        if token.lastgroup == "point":
            parts.append("." if shows_fraction else "")
        elif token.lastgroup != "comma":
            text = token["text"] or token["sign"] or token["currency"] or token["other"] or ""
            parts.append(written.get(place, text))
    return "".join(parts).strip()


def _show_duration(value: timedelta, code: str) -> str:
    sign = "-" if value < timedelta() else ""
    minutes, seconds = divmod(round(abs(value).total_seconds()), 60)
    if "[s" in code:
        return f"{sign}{minutes * 60 + seconds}"
    if "[m" in code:
        return f"{sign}{minutes}:{seconds:02}" if "s" in code else f"{sign}{minutes}"
    shown = f"{sign}{minutes // 60}:{minutes % 60:02}"
    return shown if code and "s" not in code else f"{shown}:{seconds:02}"


def _show_moment(value: date | time, code: str) -> str:
    text = str(value).removesuffix(" 00:00:00")
    if isinstance(value, time):
        return text if not code or "s" in code else text[:5]
    if "y" in code and not {"d", "h"} & set(code):
        return text[:7] if "m" in code else text[:4]
    return text
