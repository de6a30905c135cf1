"""Text from outside, made safe to show: in a terminal, in a log, on a page.

A key, a file's bytes or a reason may hold control characters that clear a screen, forge a line or
turn the direction of writing. What cannot be seen is spelled out.
"""

import json
from collections.abc import Callable
from typing import Any

JOINERS = "\u200c\u200d"
"""Invisible characters with which several scripts and emoji are spelled."""


def escape_controls(text: object, keep: str = "") -> str:
    """Return the text with every invisible character spelled out, as `\\x1b`, less those of `keep`.

    Spelled out are C0, C1, DEL, line ends, bidirectional controls, and whatever else Unicode calls
    not printable; the joiners of scripts and emoji stay.
    """
    return _replace_unprintable(str(text), keep + JOINERS, lambda sign: ascii(sign)[1:-1])


def to_json(document: Any, indent: int | None = 2) -> str:
    """Return a JSON document in which what cannot be seen is written as `\\u001b`."""
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    return _replace_unprintable(text, "\n" + JOINERS, lambda sign: json.dumps(sign)[1:-1])


def _replace_unprintable(text: str, keep: str, spell: Callable[[str], str]) -> str:
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in keep else spell(sign) for sign in text)
