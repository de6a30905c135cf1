"""What versions 2.x of the Presentation API have another form for: texts, pairs and links."""

from typing import Any

from vitrine.iiif.presentation.lexical import as_uri
from vitrine.iiif.presentation.model import Link, Statement, Texts
from vitrine.iiif.presentation.version3 import Json


def write_link(link: Link) -> Json:
    """Return a link to an address elsewhere."""
    document: Json = {
        "@id": as_uri(link.address),
        "format": link.format,
        "profile": link.profile,
        "label": write_texts(link.label),
    }
    return present(document)


def write_statement(pair: Statement) -> Json:
    """Return a pair of label and value."""
    return {"label": write_texts(pair.label), "value": write_texts(pair.value)}


def write_texts(texts: Texts) -> Any:
    """Return a text, or a list of texts with their languages (section 4.4); "" for none."""
    values: list[Any] = [
        value if language == "none" else {"@value": value, "@language": language}
        for language, several in texts.items()
        for value in several
    ]
    return flatten(values)


def flatten(values: list[Any]) -> Any:
    """Return the one value of a list, or the list without lists in it; "" for none."""
    flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return flat[0] if len(flat) == 1 else flat or ""


def present(document: Json) -> Json:
    """Return the document without what is empty."""
    return {name: value for name, value in document.items() if value not in ("", None, [])}
