"""The rules of access that a table says of its images, set before they are uploaded."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from vitrine.access.rules import combine_rules
from vitrine.errors import IdentifierRefused
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.redirects.bulk import BATCH, Workers
from vitrine.identify.resolve import LONGEST_CHAIN
from vitrine.ingest.publish.curation import Curation
from vitrine.ports import IdentifierTable
from vitrine.records import Redirect

CLOSED = "closed"


@dataclass(frozen=True, kw_only=True)
class RulesSet:
    """What a table's rules changed."""

    changed: int
    """How many rules were others before."""
    kept_closed: tuple[str, ...]
    """Images that were closed and stay so, though the table says otherwise."""


def set_rules(curation: Curation, rules: Mapping[str, str]) -> RulesSet:
    """Set the rules of these images, also of those that are yet to be uploaded.

    A previous identifier leads to its image. No table opens what is closed: another table or a
    person may have closed it for a reason that this one does not know. Raises IdentifierRefused if
    an image is renamed at this moment, and TransientError: the same call again goes on.
    """
    changed, kept = 0, list[str]()
    remaining = iter(rules.items())
    while batch := dict(islice(remaining, BATCH)):
        done = _set_batch(curation, batch)
        changed += done.changed
        kept += done.kept_closed
    return RulesSet(changed=changed, kept_closed=tuple(kept))


def _set_batch(curation: Curation, rules: Mapping[str, str]) -> RulesSet:
    table = curation.register.table
    meant: dict[str, str] = {}
    for name, rule in _follow(table, rules):
        meant[name] = combine_rules(meant.get(name, ""), rule)
    records = table.get_many(meant, consistent=True) if meant else {}
    different = [
        (name, rule)
        for name, rule in meant.items()
        if name not in records or records[name].access != rule
    ]
    closed = [name for name, _ in different if name in records and records[name].access == CLOSED]
    to_set = [(name, rule) for name, rule in different if name not in closed]
    with Workers() as workers:
        changes = workers.map(lambda one: curation.set_access(one[0], one[1]), to_set)
        return RulesSet(
            changed=sum(change.made for change in changes), kept_closed=tuple(sorted(closed))
        )


def _follow(table: IdentifierTable, rules: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the rules with the identifiers that their images have now.

    What can be no identifier has no image: its migration says so.
    """
    leads_to = dict(_usable(rules))
    for _ in range(LONGEST_CHAIN):
        records = table.get_many(set(leads_to.values()), consistent=True) if leads_to else {}
        further: dict[str, str] = {}
        for name, current in leads_to.items():
            match records.get(current):
                case Redirect(target=target):
                    further[name] = target
                case _:
                    yield current, rules[name]
        leads_to = further


def _usable(rules: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in rules:
        try:
            yield name, parse_identifier(name)
        except IdentifierRefused:
            continue
