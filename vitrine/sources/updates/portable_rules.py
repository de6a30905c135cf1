"""Rules of a collection as an environment keeps them: without anything of the curator's machine."""

import json
import tomllib
from typing import Any

from vitrine.sources.mapping.text_rules import PAGE_FILES

TABLE = "table"
"""Folder of what is harvested, next to the rules."""


def portable_rules(text: str) -> str:
    """Return the rules of a file that can be read (`read_mapping`), without its machine's paths.

    The environment has a folder of its own for what it harvests, and reads neither images nor
    redirects. Comments do not stay.
    """
    data = {name: rules for name, rules in tomllib.loads(text).items() if name != "redirects"}
    paths = {"masters", *PAGE_FILES.values()}
    source = {name: rule for name, rule in data["source"].items() if name not in paths}
    data["source"] = source | {"table": TABLE}
    return "".join(f"{_encode(name)} = {_encode(rules)}\n" for name, rules in data.items())


def _encode(value: Any) -> str:
    """Return a value of TOML 1.0 in one line, other than a date."""
    match value:
        case dict():
            pairs = (f"{_encode(name)} = {_encode(inner)}" for name, inner in value.items())
            return "{" + ", ".join(pairs) + "}"
        case list():
            return "[" + ", ".join(map(_encode, value)) + "]"
        case str():
            # JSON leaves the one control character as it is that TOML does not (TOML, "String").
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value, default=str)
