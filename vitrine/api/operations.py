"""What an operation is: a method and a path, what it takes, does, answers and refuses."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from vitrine.api.problems import Problem
from vitrine.api.resources import NoQuery
from vitrine.api.services import Services
from vitrine.catalogue.records import ObjectRecord
from vitrine.records import Record

_TAGS = re.compile(r'\s*(\*|"[^"]*"(?:\s*,\s*"[^"]*")*)\s*')
ANYTHING = "*"


@dataclass(frozen=True)
class Condition:
    """What a change says that it replaces (RFC 9110, section 13.1)."""

    if_match: str = ""
    if_none_match: str = ""

    def over(self, revision: int, *, exists: bool) -> int:
        """Return the revision that the change may replace, which is the current one.

        Raises Problem with code `precondition-missing` or `revision-changed`.
        """
        if not (self.if_match or self.if_none_match):
            raise Problem("precondition-missing")
        tag = f'"{revision}"' if exists else ""
        if (self.if_match and not names_tag(self.if_match, tag)) or (
            self.if_none_match and names_tag(self.if_none_match, tag)
        ):
            raise Problem("revision-changed", headers={"etag": tag} if tag else {})
        return revision


def names_tag(header: str, tag: str) -> bool:
    """Return True if a header names an entity tag; "" is that of nothing.

    Raises Problem with code `header-invalid`.
    """
    found = _TAGS.fullmatch(header)
    if not found:
        raise Problem("header-invalid", f"{header!r} is no entity tag.")
    return bool(tag) and (found[1] == ANYTHING or tag in re.findall(r'"[^"]*"', found[1]))


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request whose form is right."""

    services: Services
    """With the caller as the author of all changes."""
    name: str = ""
    """Name in the rest of the path."""
    query: Any = None
    body: Any = None
    condition: Condition = field(default_factory=Condition)

    def for_collection(self, collection: str) -> "Call":
        """Return the same call on behalf of one collection; raises as `Services.for_collection`."""
        return replace(self, services=self.services.for_collection(collection))

    def over(self, record: Record | ObjectRecord | None, *, exists: bool | None = None) -> int:
        """Return the revision of the record of `name`, which the change is to replace.

        So the owner is checked in the conditional write. `exists` is False for a record that does
        not count. Raises Problem with code `collection-forbidden`, and as `Condition.over`.
        """
        self.services.rights.check(self.name, record)
        revision = record.revision if record else 0
        return self.condition.over(
            revision, exists=record is not None if exists is None else exists
        )


@dataclass(frozen=True, kw_only=True)
class OperationResult:
    """What an operation answers."""

    content: Any
    status: int = 200
    revision: int = 0
    """Revision of the record, if it has one: the ETag."""
    location: str = ""
    """Relative to the address of the request."""
    good_seconds: float | None = None
    """Seconds for which a repeated request gets the same answer; None: for as long as it is kept.
    """


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One method of one path. `path` may end with a name in braces, which may have slashes."""

    name: str
    method: str
    path: str
    summary: str
    act: Callable[[Call], OperationResult]
    answers: dict[int, Any]
    """Type of the content by status."""
    query: Any = NoQuery
    body: Any = None
    example: Any = None
    """A body that is valid."""
    problems: tuple[str, ...] = ()
    """Codes of its own, next to those of all."""
    conditional: bool = False
    """True: it has to say what it replaces."""
    is_question: bool = False
    """True: it changes nothing, although it is a POST, whose body is too long for a query."""

    @property
    def changes(self) -> bool:
        """True if it changes something, or begins to."""
        return self.method != "GET" and not self.is_question

    @property
    def root(self) -> str:
        """The path without the name at its end."""
        return self.path.partition("/{")[0]

    @property
    def is_named(self) -> bool:
        """True if a name is part of the path."""
        return "{" in self.path
