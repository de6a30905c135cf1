"""Properties of a version 3 document as ours: what has an unexpected form is left out."""

from collections.abc import Iterator
from typing import Any

from vitrine.iiif.presentation.model import Agent, Link, Statement, Texts

Json = dict[str, Any]


def as_list(value: Any) -> list[Any]:
    """Return a list of what may be one, a single value, or nothing."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def as_objects(value: Any) -> list[Json]:
    """Return the JSON objects among one or several values."""
    return [one for one in as_list(value) if isinstance(one, dict)]


def as_text(value: Any) -> str:
    """Return a text, or "" for anything else."""
    return value.strip() if isinstance(value, str) else ""


def identifier_of(value: Any) -> str:
    """Return the URI of a resource, which may be embedded or be the URI itself."""
    if isinstance(value, dict):
        return as_text(value.get("id")) or as_text(value.get("@id"))
    return as_text(value)


def read_texts(value: Any) -> Texts:
    """Return texts by language; also those of a document that has a text without language."""
    if not isinstance(value, dict):
        found = tuple(text for one in as_list(value) if (text := _word(one)))
        return {"none": found} if found else {}
    texts: Texts = {}
    for language, several in value.items():
        words = tuple(text for one in as_list(several) if (text := _word(one)))
        if words:
            texts[_language(language)] = words
    return texts


def read_statements(value: Any) -> tuple[Statement, ...]:
    """Return the pairs that have both a label and a value."""
    return tuple(pair for one in as_objects(value) if (pair := read_statement(one)))


def read_statement(value: Any) -> Statement | None:
    """Return a pair of label and value, None if one of them is missing."""
    if not isinstance(value, dict):
        return None
    label, text = read_texts(value.get("label")), read_texts(value.get("value"))
    return Statement(label=label, value=text) if label and text else None


def read_links(value: Any, *, kind: str = "Text") -> Iterator[Link]:
    """Yield the links of a list that lead to http or https."""
    for one in as_list(value):
        address = identifier_of(one)
        if not address.startswith(("http://", "https://")) or " " in address:
            continue
        described = one if isinstance(one, dict) else {}
        yield Link(
            address=address,
            label=read_texts(described.get("label")),
            format=as_text(described.get("format")),
            type=as_text(described.get("type")) or kind,
            profile=as_text(described.get("profile")),
            language=next(map(as_text, as_list(described.get("language"))), ""),
        )


def read_agents(value: Any) -> Iterator[Agent]:
    """Yield providers that have an address and a name."""
    for one in as_objects(value):
        address, label = identifier_of(one), read_texts(one.get("label"))
        if not address.startswith(("http://", "https://")) or not label:
            continue
        logo = next(map(identifier_of, as_list(one.get("logo"))), "")
        yield Agent(
            address=address,
            label=label,
            homepage=next(read_links(one.get("homepage")), None),
            logo=logo if logo.startswith(("http://", "https://")) else "",
        )


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _language(text: str) -> str:
    return "none" if text in ("@none", "", "und") else text.replace("_", "-")
