"""Rules by which addresses of an earlier server lead to ours.

A rule has an address with `{names}` in place of what differs, and the path that it leads to:
`https://old.example/loris/{image*}/{request}` and `/iiif/2/{image}/{request}`. `{name}` stands for
one part of a path, `{name*}` for one or several, `{request}` for what IIIF has behind an image's
identifier, or nothing. `forward.js` does the same where the old host answers.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from vitrine.errors import InvalidRequest, MigrationUnusable
from vitrine.iiif.paths import decode_segment

SECTION = "redirects"
REQUEST = "request"
_PLACEHOLDER = re.compile(r"\{([a-z][a-z_]*)(\*?)\}")
_ONE, _SEVERAL = "([^/?&#]+)", "(.+?)"
_REQUEST = r"(?:/(info\.json|[^/?#]+/[^/?#]+/[^/?#]+/[^/?#&]+))?/?"
_QUALITIES = {"native": "default", "grey": "gray"}
"""Names of Image API 1.0 and 1.1 that later versions have not."""


@dataclass(frozen=True)
class AddressRule:
    """One rule; both regular expression and parts of the path mean the same in Python and in
    JavaScript."""

    source: str
    """As it is written."""
    host: str
    """Host of the earlier server; empty: any."""
    expression: str
    """Matches the path and the query, as a client sends them."""
    path: tuple[str | int, ...]
    """Texts, and numbers of groups to put in; -1: the request."""

    @classmethod
    def parse(cls, source: str, path: str) -> "AddressRule":
        """Read a rule. Raises ValueError with the end of a sentence."""
        parts = urlsplit(source)
        if not source.startswith(("/", "http://", "https://")) or not path.startswith("/"):
            raise ValueError("leads from an address (https://… or /…) to a path (/…)")
        if "{" in parts.netloc or "}" in parts.netloc:
            raise ValueError("has a placeholder in its host, where none can be: name one host")
        place = source[source.index(parts.netloc) + len(parts.netloc) :] if parts.netloc else source
        expression, names = _expression(place)
        return cls(source, parts.hostname or "", expression, _path(path, names))

    def resolve(self, address: str) -> str | None:
        """Return the path that an address leads to, None for an address that it is not about."""
        parts = urlsplit(address)
        if self.host and parts.hostname and parts.hostname != self.host:
            return None
        place = parts.path + (f"?{parts.query}" if parts.query else "")
        found = re.fullmatch(self.expression, place, re.DOTALL)
        if not found:
            return None
        try:
            return "".join(self._part(part, found) for part in self.path)
        except InvalidRequest:
            return None

    def _part(self, part: str | int, found: re.Match[str]) -> str:
        if isinstance(part, str):
            return part
        if part > 0:
            return quote(decode_segment(found[part]), safe=":")
        request = found[len(found.groups())]
        return f"/{_current_request(request)}" if request else ""


def resolve(rules: Sequence[AddressRule], address: str) -> str | None:
    """Return the path that the first rule about an address leads to, None without any."""
    return next((path for rule in rules if (path := rule.resolve(address)) is not None), None)


def read_rules(path: Path) -> tuple[AddressRule, ...]:
    """Return the rules in a file's section [redirects]. Raises MigrationUnusable, OSError."""
    try:
        section = tomllib.loads(path.read_text(encoding="utf-8")).get(SECTION, {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MigrationUnusable(f"{path} is not TOML: {error}.") from None
    if not isinstance(section, dict) or not section:
        raise MigrationUnusable(
            f'{path} has no section [{SECTION}] with lines such as "https://old.example/loris/'
            '{image}/{request}" = "/iiif/2/{image}/{request}".'
        )
    return tuple(_rule(path, source, target) for source, target in section.items())


def _rule(path: Path, source: str, target: Any) -> AddressRule:
    try:
        return AddressRule.parse(source, str(target))
    except ValueError as error:
        raise MigrationUnusable(f"{path}, {SECTION}: {source!r} {error}.") from None


def _expression(place: str) -> tuple[str, Mapping[str, int]]:
    """Return a regular expression for a path, and the number of the group of each name."""
    names: dict[str, int] = {}
    expression, begin = "", 0
    for found in _PLACEHOLDER.finditer(place):
        name, several = found[1], bool(found[2])
        if name in names:
            raise ValueError(f"has {{{name}}} twice")
        literal = place[begin : found.start()]
        begin = found.end()
        if name == REQUEST:
            if not literal.endswith("/") or begin != len(place):
                raise ValueError("has {request} in another place than behind the last slash")
            expression += _escape(literal[:-1]) + _REQUEST
        else:
            expression += _escape(literal) + (_SEVERAL if several else _ONE)
        names[name] = len(names) + 1
    expression += _escape(place[begin:])
    return expression if "?" in place else expression + r"(?:\?.*)?", names


def _escape(text: str) -> str:
    """Escape what means something in regular expressions of both languages."""
    if "{" in text or "}" in text:
        raise ValueError("has a brace that is no {name}, {name*} or {request}")
    return re.sub(r"([.*+?^$|()\[\]\\/])", r"\\\1", text)


def _path(path: str, names: Mapping[str, int]) -> tuple[str | int, ...]:
    parts: list[str | int] = []
    begin = 0
    for found in _PLACEHOLDER.finditer(path):
        literal, name = path[begin : found.start()], found[1]
        begin = found.end()
        if name not in names:
            raise ValueError(f"leads to {{{name}}}, which it does not have")
        if name == REQUEST:
            if not literal.endswith("/") or begin != len(path):
                raise ValueError("leads to {request} in another place than behind the last slash")
            parts += [literal[:-1], -1]
        else:
            parts += [literal, names[name]]
    parts.append(path[begin:])
    if any("{" in part or "}" in part for part in parts if isinstance(part, str)):
        raise ValueError("leads to a brace that is no {name} or {request}")
    return tuple(part for part in parts if part != "")


def _current_request(request: str) -> str:
    """Return a request as Image API 2 and 3 have it: another quality, and a format."""
    if "/" not in request:
        return request
    *rest, last = (decode_segment(part) for part in request.split("/"))
    quality, dot, suffix = last.partition(".")
    last = f"{_QUALITIES.get(quality, quality)}.{suffix if dot else 'jpg'}"
    return "/".join(quote(part, safe=",:!^.") for part in (*rest, last))
