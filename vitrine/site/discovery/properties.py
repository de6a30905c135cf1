"""Checks of single properties, and the findings that they make."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

CONTEXT = "http://iiif.io/api/discovery/1/context.json"
_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]00:00)")
_HTTP = re.compile(r"https?://[^\s/?#]+([/?#][^\s]*)?")


@dataclass(frozen=True)
class Finding:
    """Something that is not as the specification has it."""

    is_error: bool
    """A MUST is broken; otherwise a SHOULD."""
    place: str
    """The document, and the path in it."""
    section: str
    sentence: str


def link_of(document: Any, name: str) -> str:
    """Return the id of an object under that name, empty without one."""
    found = document.get(name) if isinstance(document, dict) else None
    identifier = found.get("id") if isinstance(found, dict) else ""
    return identifier if isinstance(identifier, str) else ""


def moment_of(activity: Mapping[str, Any], name: str) -> datetime | None:
    """Return a time in UTC; None for anything else."""
    text = activity.get(name)
    if not isinstance(text, str) or not _UTC.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def is_http(value: Any) -> bool:
    """Return whether this is an HTTP(S) URI."""
    return isinstance(value, str) and bool(_HTTP.fullmatch(value))


def show(value: Any) -> str:
    """Return a value as findings name it."""
    return repr(value) if value is not None else "missing"


@dataclass(frozen=True)
class Checker:
    """Makes findings about one document or activity."""

    place: str
    section: str

    def error(self, name: str, sentence: str) -> Finding:
        return Finding(True, self.place, self.section, f"{name} {sentence}".strip())

    def warning(self, name: str, sentence: str) -> Finding:
        return Finding(False, self.place, self.section, f"{name} {sentence}".strip())

    def head(self, document: Mapping[str, Any], kind: str, address: str) -> Iterator[Finding]:
        """Context, id and type of a document of its own."""
        context = document.get("@context")
        last = context[-1] if isinstance(context, list) and context else context
        if last != CONTEXT:
            yield Finding(True, self.place, "3.4.1", f"@context does not end with {CONTEXT}")
        elif next(iter(document)) != "@context":
            yield Finding(False, self.place, "3.4.1", "@context is not the first key")
        if document.get("type") != kind:
            yield self.error("type", f"is {show(document.get('type'))}, not {kind!r}")
        if not is_http(document.get("id")):
            yield self.error("id", f"is {show(document.get('id'))}, not an HTTP(S) URI")
        elif document["id"] != address:
            yield self.error("id", f"is {document['id']}, and it was found at another address")

    def link(
        self,
        document: Mapping[str, Any],
        name: str,
        kind: str,
        *,
        must: bool = False,
        should: bool = True,
    ) -> Iterator[Finding]:
        """Check an object with id and type under that name."""
        if name not in document:
            if must:
                yield self.error(name, "is missing")
            elif should:
                yield self.warning(name, "is missing")
            return
        if not is_http(link_of(document, name)):
            yield self.error(name, "is not an object whose id is an HTTP(S) URI")
        elif document[name].get("type") != kind:
            yield self.error(name, f"has the type {show(document[name].get('type'))}, not {kind}")

    def thing(self, activity: Mapping[str, Any], name: str) -> Iterator[Finding]:
        """Check the object or the target of an activity."""
        found = activity.get(name)
        if not isinstance(found, dict):
            yield self.error(name, "is missing or is not a JSON object")
            return
        if not is_http(found.get("id")):
            yield self.error(f"{name}.id", f"is {show(found.get('id'))}, not an HTTP(S) URI")
        if not isinstance(found.get("type"), str):
            yield self.error(f"{name}.type", "is missing")
        elif found["type"] not in ("Manifest", "Collection"):
            yield self.warning(f"{name}.type", f"is {found['type']}, not Manifest or Collection")
        if not isinstance(found.get("canonical", ""), str):
            yield self.error(f"{name}.canonical", "is not a text")
        yield from self.data(found, "seeAlso")
        if "provider" in found:
            yield from self.several(found, "provider", "Agent")

    def count(self, document: Mapping[str, Any], name: str) -> Iterator[Finding]:
        """Check a number of things."""
        value = document.get(name, 0)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            yield self.error(name, f"is {show(value)}, not a non-negative integer")

    def data(self, document: Mapping[str, Any], name: str) -> Iterator[Finding]:
        """Check descriptions for machines."""
        if name in document:
            yield from self.several(document, name, "Dataset")

    def several(self, document: Mapping[str, Any], name: str, kind: str) -> Iterator[Finding]:
        """Check a list of objects with id and type."""
        found = document[name]
        good = isinstance(found, list) and bool(found)
        if not good or not all(
            isinstance(one, dict) and is_http(one.get("id")) and one.get("type") == kind
            for one in found
        ):
            yield self.error(name, f"is not a list of objects with id and the type {kind}")
