"""The rule by which an image is shown: its own, or what its collections demand together.

A record has what was said of the identifier itself (`access`), the collections that show it, and
the rules that collections had when it left them. Rules of collections are in one table
(`vitrine.access.collection_rules`).
"""

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from vitrine.access.rules import INHERITED, read_rule, strictest
from vitrine.records import Live, Record

if TYPE_CHECKING:
    from vitrine.access.collection_rules import CollectionRules

AnyRecord = TypeVar("AnyRecord", bound=Record)
LINKS = 1_000_000
"""More changes than one identifier has: numbers of links with a table's version and a revision."""


def has_own_rule(record: Record) -> bool:
    """Return True if somebody set a rule for this identifier itself, `open` included."""
    return record.access not in ("", INHERITED)


def rules_of_collections(record: Record, rules: "CollectionRules | None") -> dict[str, str]:
    """Return the rules that an identifier has from collections, by collection.

    Also while it has one of its own. Without a table that can be read, its collections are closed.
    """
    if rules is None:
        found = dict.fromkeys(record.collections, "closed")
    else:
        found = rules.rules_over(record.collections, record.owner)
    for name, rule in record.kept:
        found[name] = strictest((found.get(name, ""), rule))
    return found


def effective(record: Record, rules: "CollectionRules | None") -> str:
    """Return the rule by which an image is shown: its own, else the strictest of its collections'.

    "" or `open` for what is open.
    """
    if record.access != INHERITED:
        return record.access
    return strictest(rules_of_collections(record, rules).values()) or "open"


def is_shown_alike(record: Record, other: Record, rules: "CollectionRules | None") -> bool:
    """Return True if two records of an identifier show the same under these rules."""
    return read_rule(effective(record, rules)) == read_rule(effective(other, rules))


def as_shown(record: AnyRecord, rules: "CollectionRules | None") -> AnyRecord:
    """Return a record as it is shown: under the rule that holds.

    If that is its collections', with all that are around it, and with the number of links that hold
    now (`vitrine.identify.share_links`). The versions of an image that are shown until its switch
    are under the same rule. What is stored closes where a rule depends on collections, so what
    forgets to ask here shows nothing.
    """
    if not record.access:
        return record
    if record.access != INHERITED:
        return _replace(record, access=record.access, collections=(), links_from=record.links_from)
    around, links = record.collections, record.links_from
    if rules:
        around = rules.around_all(record.collections)
        links += LINKS * rules.links_from(record.collections)
    return _replace(record, access=effective(record, rules), collections=around, links_from=links)


def _replace(record: AnyRecord, **changes: object) -> AnyRecord:
    if isinstance(record, Live) and record.before:
        changes = {**changes, "before": _replace(record.before, **changes)}
    return replace(record, **changes)  # type: ignore[arg-type]
