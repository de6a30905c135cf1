"""What the tables hold: the state of an identifier, and the outcome of a master."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal


@dataclass(frozen=True, kw_only=True)
class _Record:
    identifier: str
    revision: int = 0
    """Counts the changes of this identifier from 1; the journal holds one entry of each."""


@dataclass(frozen=True, kw_only=True)
class Live(_Record):
    """A published image. Sizes in pixels, `levels` from full resolution down to the smallest."""

    version: str
    access_master_key: str
    access_master_bytes: int
    width: int
    height: int
    tile_width: int
    tile_height: int
    levels: tuple[tuple[int, int], ...]
    master_key: str
    master_version: str
    master_modified: str
    """Last-Modified of the master, RFC 3339 UTC; the newest master wins."""
    published_at: str
    """RFC 3339 UTC."""

    @property
    def changed_at(self) -> str:
        """When it became what it is, as every record says it."""
        return self.published_at


@dataclass(frozen=True, kw_only=True)
class Redirect(_Record):
    """A former identifier; `target` is not itself a redirect, but for a moment."""

    target: str
    changed_at: str
    note: str = ""
    """Why, for those who keep the collection."""


@dataclass(frozen=True, kw_only=True)
class Gone(_Record):
    """A tombstone: the image was withdrawn."""

    reason: str
    changed_at: str


@dataclass(frozen=True, kw_only=True)
class Removed(_Record):
    """A redirect that was taken back: it answers as if it had never been."""

    changed_at: str


Record = Live | Redirect | Gone | Removed

_STATES: dict[str, type[Record]] = {
    "live": Live,
    "redirect": Redirect,
    "gone": Gone,
    "removed": Removed,
}
_NAMES = {kind: name for name, kind in _STATES.items()}


def state(record: Record) -> str:
    """`live`, `redirect`, `gone` or `removed`."""
    return _NAMES[type(record)]


def record_as_json(record: Record) -> dict[str, Any]:
    """A JSON-ready dictionary: the fields and `state`."""
    return asdict(record) | {"state": state(record)}


def record_from_json(data: Mapping[str, Any]) -> Record:
    """What `record_as_json` says, or more. Raises KeyError, TypeError, ValueError."""
    kind = _STATES[data["state"]]
    values = {item.name: data[item.name] for item in fields(kind) if item.name in data}
    if kind is Live:
        values["levels"] = tuple((int(width), int(height)) for width, height in data["levels"])
    return kind(**values)


State = Literal["running", "published", "rejected", "failed", "withdrawn"]


MASTER_DELETED = "master-deleted"
"""Code of a rejection for want of the master."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The latest outcome of one master. Times are RFC 3339 UTC."""

    master_key: str
    master_version: str
    master_modified: str
    identifier: str
    state: State
    changed_at: str
    code: str = ""
    """Stable reason code of a rejection, error name of a failure."""
    sentence: str = ""
    value: str = ""
    notes: tuple[str, ...] = ()
    """Sentences about a published master: what was assumed, left out or could not be read."""
    execution: str = ""
    redrives: str = ""
    """The failed execution that this one was started for, empty at the first try."""
    formers: tuple[str, ...] = ()
    """Other identifiers that this master had before."""

    @property
    def ended_in_absence(self) -> bool:
        """It ended so because the master was away: once it is back, all may begin again."""
        return self.state == "withdrawn" or self.code == MASTER_DELETED
