"""Languages as Tesseract names them, joined by `+`, such as deu+frk."""

import re

MAX_LANGUAGES = 5
"""Languages of a page: each takes its time with every word."""
NO_LANGUAGES = {"osd", "equ"}
"""Models of Tesseract for orientation and equations."""
_LANGUAGE = re.compile(r"[a-z]{3}(_[a-z]{3,4}){0,2}")


def split_languages(text: str) -> tuple[str, ...]:
    """Return the languages. Raises ValueError, with a sentence."""
    names = tuple(text.split("+"))
    is_list = all(map(_LANGUAGE.fullmatch, names)) and len({*names}) == len(names)
    if not is_list or NO_LANGUAGES & {*names}:
        raise ValueError(f'"{text}" is no list of languages as Tesseract names them: deu+frk.')
    return names


def find_fault(text: str) -> str:
    """Return what is wrong with the languages of an object's pages, or nothing."""
    try:
        names = split_languages(text)
    except ValueError as error:
        return str(error)
    if len(names) > MAX_LANGUAGES:
        return f"{len(names)} languages are too many for a page: {MAX_LANGUAGES} at most."
    return ""
