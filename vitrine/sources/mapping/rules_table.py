"""The rules of a mapping as a table that is edited in a spreadsheet, and back.

A row has the place of a rule, its parts separated by ` / `, and its value:
`object / label / en` and `{Title}`. A list has a row for each of its values.
"""

import csv
import io
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.spreadsheet import Spreadsheet
from vitrine.text.formulas import harmless, unharmed

PLACE, VALUE = "rule", "value"
_BETWEEN = " / "
LISTS = frozenset({("source", "empty")})
FACET = "facet"
BEFORE_IMAGES = ("object", "page_before_images")
_BOOLEANS = {"true": True, "false": False}


def write_table(rules: Path) -> str:
    """Return the rules of a file as CSV. Raises MappingUnusable, OSError."""
    try:
        data = tomllib.loads(rules.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MappingUnusable(f"{rules} is not TOML: {error}") from None
    lines = io.StringIO(newline="")
    writer = csv.writer(lines)
    writer.writerow([PLACE, VALUE])
    for place, value in _rows(data, ()):
        writer.writerow([_BETWEEN.join(place), harmless(value)])
    return lines.getvalue()


def read_table(path: Path) -> str:
    """Return the rules in a spreadsheet as TOML. Raises MappingUnusable, OSError."""
    table = Spreadsheet(path)
    if missing := {PLACE, VALUE} - set(table.columns):
        raise MappingUnusable(f"{path} has no column {' and no column '.join(sorted(missing))}")
    data: dict[str, Any] = {}
    for row in table.rows(set()):
        if row.fault:
            raise MappingUnusable(f"{path}, row {row.number}: it {row.fault}")
        place = tuple(part.strip() for part in "".join(row.values[PLACE]).split(_BETWEEN))
        if not all(place) or len(place) < 2:
            raise MappingUnusable(
                f"{path}, row {row.number}: {_BETWEEN.join(place)!r} is no place of a rule, such "
                "as object / label / en"
            )
        _put(data, place, unharmed("".join(row.values.get(VALUE, ()))), path, row.number)
    return "\n".join(_sections(data))


def _rows(data: Mapping[str, Any], place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    for name, value in data.items():
        inner = (*place, name)
        if _BETWEEN in name:
            raise MappingUnusable(
                f"{_BETWEEN.join(inner)!r} has a slash between spaces, as tables have between parts"
            )
        match value:
            case dict():
                yield from _rows(value, inner)
            case list():
                yield from ((inner, str(one)) for one in value)
            case bool():
                yield inner, str(value).lower()
            case _:
                yield inner, str(value)


def _put(data: dict[str, Any], place: tuple[str, ...], value: str, path: Path, number: int) -> None:
    for name in place[:-1]:
        data = data.setdefault(name, {})
        if not isinstance(data, dict):
            raise MappingUnusable(f"{path}, row {number}: a row above gives {name!r} a value")
    name = place[-1]
    if place in LISTS:
        data.setdefault(name, []).append(value)
    elif name in data:
        raise MappingUnusable(f"{path}, row {number}: {_BETWEEN.join(place)!r} repeats a row above")
    else:
        is_choice = place == BEFORE_IMAGES or (place[0] == "metadata" and place[2:] == (FACET,))
        data[name] = _BOOLEANS.get(value.lower(), value) if is_choice else value


def _sections(data: Mapping[str, Any]) -> Iterator[str]:
    for section, rules in data.items():
        yield f"[{_key(section)}]"
        for name, value in rules.items():
            yield f"{_key(name)} = {_toml(value)}"
        yield ""


def _toml(value: Any) -> str:
    match value:
        case dict():
            inner = ", ".join(f"{_key(name)} = {_toml(one)}" for name, one in value.items())
            return f"{{{inner}}}"
        case list():
            return f"[{', '.join(map(_toml, value))}]"
        case bool():
            return str(value).lower()
        case _:
            return _text(str(value))


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("-", "").isidentifier() else _text(name)


def _text(text: str) -> str:
    # JSON's strings are TOML's basic strings, but for this one character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
