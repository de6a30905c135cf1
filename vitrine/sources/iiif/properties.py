"""Properties of a version 3 document as ours: what has an unexpected form is left out."""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any
from urllib.parse import quote

from vitrine.iiif.presentation.model import Agent, Link, Statement, Texts
from vitrine.text.allowed_html import clean_label, clean_value

Json = dict[str, Any]
Say = Callable[[str, str], None]
"""Takes a property and a sentence about what is left out of it."""
UNNAMED: Texts = {"none": ("…",)}
"""Label of what has a value and none."""
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_UNENCODED = re.compile(r'[\s<>"{}|\\^`]')
_IDENTITY = ("@context", "id", "@id", "type", "@type", "label")
_OF_LINKS = (*_IDENTITY, "format", "profile", "language")
_OF_AGENTS = (*_IDENTITY, "homepage", "logo")


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


def as_address(value: Any) -> str:
    """Return an address, what has no place in one encoded as browsers do (WHATWG URL)."""
    return _UNENCODED.sub(lambda found: quote(found[0]), identifier_of(value))


def is_web(address: str) -> bool:
    """Return True for an http or https address."""
    return address.startswith(("http://", "https://"))


def note_rest(resource: Json, known: Collection[str], say: Say) -> None:
    """Say of each property of a resource that is not among the known ones that it is left out."""
    for name, value in resource.items():
        if name not in known and value not in (None, "", [], {}):
            say(name, "it is left out: there is no place for it")


def read_texts(value: Any, clean: Callable[[str], str] = clean_label) -> Texts:
    """Return texts by language; also those of a document that has a text without language."""
    texts: Texts = {}
    languages = value.items() if isinstance(value, dict) else [("none", value)]
    for language, several in languages:
        words = tuple(text for one in as_list(several) if (text := clean(_word(one))))
        if words:
            name = _language(language)
            texts[name] = (*texts.get(name, ()), *words)
    return texts


def has_other_values(value: Any) -> bool:
    """Return True if among texts by language there is something that is no text."""
    found = value.values() if isinstance(value, dict) else [value]
    inner = [one for several in found for one in as_list(several)]
    return any(isinstance(one, dict | list) and one for one in inner)


def read_statements(value: Any) -> tuple[Statement, ...]:
    """Return the pairs that have a value; one without a label has a mark of omission for it."""
    return tuple(pair for one in as_objects(value) if (pair := read_statement(one)))


def read_statement(value: Any) -> Statement | None:
    """Return a pair of label and value, None if there is no value."""
    if not isinstance(value, dict):
        return None
    label, text = read_texts(value.get("label")), read_texts(value.get("value"), clean_value)
    return Statement(label=label or UNNAMED, value=text) if text else None


def read_links(value: Any, say: Say, *, kind: str = "Text") -> Iterator[Link]:
    """Yield the links of a list that lead to http or https; say what is left out of them."""
    for one in as_list(value):
        address = as_address(one)
        if not is_web(address):
            say("", f"{str(identifier_of(one) or one)[:80]!r} is no web address: it is left out")
            continue
        described = one if isinstance(one, dict) else {}
        note_rest(described, _OF_LINKS, lambda name, said: say("", f"its {name}: {said}"))
        languages = [text for one in as_list(described.get("language")) if (text := as_text(one))]
        if len(languages) > 1:
            say("", f"it is in {len(languages)} languages: {languages[0]!r} alone is named")
        yield Link(
            address=address,
            label=read_texts(described.get("label")),
            format=as_text(described.get("format")),
            type=as_text(described.get("type")) or kind,
            profile=as_text(described.get("profile")),
            language=next(iter(languages), ""),
        )


def read_agents(value: Any, say: Say) -> Iterator[Agent]:
    """Yield providers that have an address and a name; say what is left out of them."""
    for one in as_list(value):
        described = one if isinstance(one, dict) else {}
        address, label = as_address(one), read_texts(described.get("label"))
        if not is_web(address) or not label:
            said = str(address or label or one)[:80]
            say("", f"{said!r} has no web address or no name: it is left out")
            continue
        note_rest(described, _OF_AGENTS, lambda name, said: say("", f"its {name}: {said}"))
        logos = [logo for one in as_list(described.get("logo")) if is_web(logo := as_address(one))]
        homepages = list(read_links(described.get("homepage"), say))
        for name, several in (("logo", logos), ("homepage", homepages)):
            if len(as_list(described.get(name))) != len(several[:1]):
                say("", f"its {name}: not all of it is kept")
        yield Agent(
            address=address,
            label=label,
            homepage=next(iter(homepages), None),
            logo=next(iter(logos), ""),
        )


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _language(text: str) -> str:
    name = text.replace("_", "-")
    return name if _LANGUAGE.fullmatch(name) and name != "und" else "none"
