"""The records of the tables: the state of an identifier, and the outcome of a master."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from vitrine.errors import RecordDamaged


@dataclass(frozen=True, kw_only=True)
class _Record:
    identifier: str
    revision: int = 0
    """Counts the changes of this identifier from 1; the journal has one entry for each."""
    owner: str = ""
    """Collection that published it first (`vitrine.identify.owners`); empty: it belongs to none."""
    access: str = ""
    """The rule of access that somebody set for it (`vitrine.access.rules`), or `inherited`: that of
    its collections holds. Empty: it is open, as nobody set one and no collection ever showed it."""
    collections: tuple[str, ...] = ()
    """The collections that show it; what they demand is in a table of their own."""
    kept: tuple[tuple[str, str], ...] = ()
    """Rules that it keeps, by the collection that had them when it left."""
    rules_version: int = 0
    """The version that the table of these demands had at least when they were written: no older one
    says who may see it."""
    previous_targets: tuple[str, ...] = ()
    """Identifiers that it redirected to before; their images are still in its collections."""
    links_from: int = 0
    """The revision from which on share links to it hold (`vitrine.identify.share_links`)."""

    @property
    def stated_rule(self) -> tuple[object, ...]:
        """All that the record states about who may see it."""
        return self.access, self.collections, self.kept, self.rules_version


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
    holds_from: str = ""
    """Time at which it takes the place of `before`, RFC 3339 UTC; empty: at once."""
    before: "Live | None" = None
    """The version that is shown until then, which may itself have one before it."""

    @property
    def changed_at(self) -> str:
        """When the identifier became what it is, a name that every record has."""
        return self.published_at


@dataclass(frozen=True, kw_only=True)
class Redirect(_Record):
    """A previous identifier; `target` is not itself a redirect, except for a moment."""

    target: str
    changed_at: str
    note: str = ""
    """The reason, for curators."""


@dataclass(frozen=True, kw_only=True)
class Gone(_Record):
    """A tombstone: the image was withdrawn."""

    reason: str
    changed_at: str
    by_curator: bool = True
    """A curator withdrew it, so no upload takes its place; False after its master was deleted."""


@dataclass(frozen=True, kw_only=True)
class Removed(_Record):
    """A redirect that was removed, or a rule for an image that is yet to come.

    The identifier answers as if there had never been one.
    """

    changed_at: str


Record = Live | Redirect | Gone | Removed


def readable(records: Mapping[str, Record | RecordDamaged]) -> dict[str, Record]:
    """Return the records among what a table returned; those that are damaged are logged there."""
    return {
        name: record for name, record in records.items() if not isinstance(record, RecordDamaged)
    }


_STATES: dict[str, type[Record]] = {
    "live": Live,
    "redirect": Redirect,
    "gone": Gone,
    "removed": Removed,
}
_NAMES = {kind: name for name, kind in _STATES.items()}
_LEFT_OUT = frozenset(
    {"owner", "access", "collections", "kept", "rules_version", "previous_targets", "links_from"}
)
"""Attributes that are in JSON only if they say something."""
_PLAIN = (bool, int, str)
"""Types of attributes that are in JSON what they are here."""


def state(record: Record) -> str:
    """Return `live`, `redirect`, `gone` or `removed`."""
    return _NAMES[type(record)]


def record_as_json(record: Record) -> dict[str, Any]:
    """Return a dictionary that is ready for JSON: the fields and `state`."""
    values = asdict(record)
    values |= {"collections": list(record.collections), "kept": dict(record.kept)}
    values["previous_targets"] = list(record.previous_targets)
    for name in _LEFT_OUT:
        if not values[name]:
            del values[name]
    if isinstance(record, Live):
        del values["before"], values["holds_from"]
        if record.before:
            values |= {"holds_from": record.holds_from, "before": record_as_json(record.before)}
    return values | {"state": state(record)}


def record_from_json(data: Mapping[str, Any]) -> Record:
    """Return the record of what `record_as_json` returned; other keys are ignored.

    Raises AttributeError, KeyError, TypeError, ValueError.
    """
    kind = _STATES[data["state"]]
    values = {item.name: data[item.name] for item in fields(kind) if item.name in data}
    check_types(kind, values)
    for name in ("collections", "previous_targets"):
        values[name] = tuple(values.get(name, ()))
    values["kept"] = tuple(sorted(values.get("kept", {}).items()))
    if kind is Live:
        values["levels"] = tuple((int(width), int(height)) for width, height in data["levels"])
        if data.get("before"):
            values["before"] = record_from_json(data["before"])
    return kind(**values)


def check_types(kind: type[Any], values: Mapping[str, Any]) -> None:
    """Raise TypeError unless a dataclass has values of its types, where these are plain ones."""
    for item in fields(kind):
        if item.type in _PLAIN and type(values.get(item.name, item.default)) is not item.type:
            raise TypeError(f'"{item.name}" is {values.get(item.name)!r}')


State = Literal["running", "published", "rejected", "failed", "withdrawn"]


MASTER_DELETED = "master-deleted"
"""Code of a rejection because the master was deleted."""


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
    """Stable code of a rejection, name of the error of a failure."""
    sentence: str = ""
    value: str = ""
    notes: tuple[str, ...] = ()
    """Sentences about a published master: what was assumed, omitted or could not be read."""
    execution: str = ""
    redrives: str = ""
    """The failed execution that this one replaces, empty for the first attempt."""
    previous_identifiers: tuple[str, ...] = ()
    """Other identifiers that this master had before."""
    published_as: str = ""
    """The identifier with which it was published last, empty if it never was."""
    dismissed: bool = False
    """A curator has seen this rejection and does not want to be reminded of it."""

    @property
    def listed_as(self) -> str:
        """The list that it stands in: its state, or `dismissed`."""
        return "dismissed" if self.dismissed else self.state

    @property
    def ended_in_absence(self) -> bool:
        """True if it ended because the master was deleted: once restored, it is ingested again."""
        return self.state == "withdrawn" or self.code == MASTER_DELETED


def outcome_as_json(outcome: Outcome) -> dict[str, Any]:
    """Return a JSON-ready dictionary of the fields, as tables store them and reports print them.

    The key of `previous_identifiers` is the one that existing tables have.
    """
    values = asdict(outcome)
    values["formers"] = values.pop("previous_identifiers")
    return values


def outcome_from_json(data: Mapping[str, Any]) -> Outcome:
    """Return the outcome of what `outcome_as_json` returned, or of more.

    Fields that were added later may be missing. Raises KeyError, TypeError.
    """
    values = {item.name: data[item.name] for item in fields(Outcome) if item.name in data}
    check_types(Outcome, values)
    values["notes"] = tuple(data.get("notes", ()))
    values["previous_identifiers"] = tuple(data.get("formers", ()))
    return Outcome(**values)
