"""What the site says by itself, in each of its languages."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "de", "fr")
_FOLDER = Path(__file__).with_name("strings")


@cache
def strings(language: str) -> Mapping[str, str]:
    """Return the site's own texts in a language, by name."""
    with (_FOLDER / f"{language}.toml").open("rb") as file:
        return tomllib.load(file)


def write_number(number: int, language: str) -> str:
    """Return a whole number with its thousands apart, as a language writes it."""
    return f"{number:,}".replace(",", strings(language)["thousands"])
