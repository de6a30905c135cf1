"""The short texts of annotations: motivations, creators and moments."""

import re
from datetime import datetime

from vitrine.errors import TextRefused
from vitrine.iiif.presentation.remarks import short_motivation
from vitrine.text.slugs import digest_text

MAX_NAME_LENGTH = 200
"""Characters of a motivation, a purpose, a creator or a media type."""
MAX_ADDRESS_LENGTH = 2_000
_IDENTIFIER = re.compile(r"(?!_:)[^\s\x00-\x20\"<>\\^`{|}]+")
"""A URI or a name. Blank nodes of RDF are not: the next export may give theirs to others."""
_ADDRESS = re.compile(r"https?://[^\s\x00-\x20\"<>\\^`{|}]+")
_MOTIVATION = re.compile(r"[A-Za-z][A-Za-z0-9_:.-]*")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?"
    r"(Z|[+-][0-9]{2}:[0-9]{2})?"
)


def is_address(text: str) -> bool:
    """Return whether a text is an address with http or https."""
    return len(text) <= MAX_ADDRESS_LENGTH and bool(_ADDRESS.fullmatch(text))


def read_name(value: object, what: str) -> str:
    """Return a short text, "" for nothing. Raises TextRefused."""
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > MAX_NAME_LENGTH:
        sentence = f"its {what} is no text of at most {MAX_NAME_LENGTH} characters"
        raise TextRefused(what, sentence)
    return value.strip()


def read_identifier(value: object) -> str:
    """Return eight digits of the identifier of an annotation, "" for all else."""
    if not isinstance(value, str) or len(value) > MAX_ADDRESS_LENGTH:
        return ""
    identifier = value.strip()
    return digest_text(identifier) if _IDENTIFIER.fullmatch(identifier) else ""


def read_motivation(value: object, what: str) -> str:
    """Return a motivation or purpose without its prefix, "" for nothing. Raises TextRefused."""
    name = short_motivation(read_name(value, what))
    if name and not _MOTIVATION.fullmatch(name) and not is_address(name):
        raise TextRefused(what, f"its {what} {name!r} is neither a word nor an address")
    return name


def read_creator(value: object) -> str:
    """Return the name of who wrote an annotation, or else the address that identifies them.

    Raises TextRefused.
    """
    match value:
        case None | str() | {"name": str()}:
            return read_name(value["name"] if isinstance(value, dict) else value, "creator")
        case {"id": str(address)} if is_address(address):
            return read_name(address, "creator")
    raise TextRefused("creator", "its creator is neither a name nor an address")


def read_moment(value: object, what: str, notes: list[str]) -> str:
    """Return a moment as xsd:dateTime writes it; "" for all else, with a note unless it is nothing.

    What somebody says stays worth reading when nobody knows when it was said.
    """
    moment = value.strip() if isinstance(value, str) else ""
    if _is_moment(moment):
        return moment
    if moment or not (value is None or isinstance(value, str)):
        shown = f" {moment[:MAX_NAME_LENGTH]!r}" if moment else ""
        sentence = f"its {what}{shown} is no moment, such as 2026-01-31T00:00:00Z, and left out"
        notes.append(sentence)
    return ""


def _is_moment(text: str) -> bool:
    try:
        return bool(_MOMENT.fullmatch(text) and datetime.fromisoformat(text[:19]))
    except ValueError:
        return False
