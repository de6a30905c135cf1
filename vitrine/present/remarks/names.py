"""The short texts of annotations: motivations, creators and moments."""

import re
from datetime import datetime

from vitrine.errors import TextRefused
from vitrine.iiif.presentation.remarks import short_motivation
from vitrine.present.slugs import digest_text

LONGEST_NAME = 200
"""Characters of a motivation, a purpose, a creator, a moment or a media type."""
LONGEST_ADDRESS = 2_000
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
    return len(text) <= LONGEST_ADDRESS and bool(_ADDRESS.fullmatch(text))


def read_name(value: object, what: str) -> str:
    """Return a short text, "" for nothing. Raises TextRefused."""
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > LONGEST_NAME:
        sentence = f"its {what} is no text of at most {LONGEST_NAME} characters"
        raise TextRefused(what, sentence)
    return whole(value).strip()


def read_identifier(value: object) -> str:
    """Return eight digits of the identifier of an annotation, "" for what is none."""
    if not isinstance(value, str) or len(value) > LONGEST_ADDRESS:
        return ""
    identifier = value.strip()
    return digest_text(whole(identifier)) if _IDENTIFIER.fullmatch(identifier) else ""


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


def read_moment(value: object, what: str) -> str:
    """Return a moment as xsd:dateTime writes it, "" for nothing. Raises TextRefused."""
    moment = read_name(value, what)
    if moment:
        try:
            is_valid = bool(_MOMENT.fullmatch(moment) and datetime.fromisoformat(moment[:19]))
        except ValueError:
            is_valid = False
        if not is_valid:
            sentence = f"its {what} {moment!r} is no moment, such as 2026-01-31T00:00:00Z"
            raise TextRefused(what, sentence)
    return moment


def whole(text: str) -> str:
    """Return a text without halves of surrogate pairs, which JSON may have."""
    return text.encode("utf-8", "replace").decode()
