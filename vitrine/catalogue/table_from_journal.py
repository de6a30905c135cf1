"""The table of collections' rules as the journal of objects has it: after a loss, or at first."""

from collections import defaultdict
from collections.abc import Iterator

from vitrine.access.collection_rules import CollectionRule
from vitrine.catalogue.records import Described, ObjectRecord, Renamed
from vitrine.catalogue.ruled_table import said_rule
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.store.omissions import FAULTS
from vitrine.store.revisions import Revisions

CLOSED = "closed"


def table_from_journal(journal: Revisions[ObjectRecord]) -> dict[str, CollectionRule]:
    """Return what the newest records say of all collections, by identifier.

    What cannot be read is closed. All records are read, those of collections twice. Raises
    TransientError.
    """
    found, lists = dict[str, CollectionRule](), set[str]()
    for name, record in _newest(journal):
        match record:
            case None:
                found[name] = CollectionRule(rule=CLOSED)
            case Renamed(target=target, revision=revision):
                found[name] = CollectionRule(target=target, revision=revision)
            case _:
                rule, owner = said_rule(record), record.owner
                found[name] = CollectionRule(rule=rule, owner=owner, revision=record.revision)
                if isinstance(record, Described) and isinstance(record.item, ObjectCollection):
                    lists.add(name)
    within = defaultdict[str, set[str]](set)
    for name in sorted(lists):
        match journal.latest(name):
            case Described(item=ObjectCollection(members=members)):
                for member in members:
                    if member.is_collection or _present(member.identifier, found) in lists:
                        within[member.identifier].add(name)
                        within[_present(member.identifier, found)].add(name)
    # The edge may have anything.
    return {
        name: CollectionRule(
            rule=one.rule,
            owner=one.owner,
            within=tuple(sorted(within[name])),
            target=one.target if _present(name, found) in lists else "",
            revision=one.revision,
            has_untagged=True,
        )
        for name in sorted(found.keys() | within.keys())
        for one in [found.get(name, CollectionRule())]
        if one.rule or name in lists or within[name] or _present(name, found) in lists
    }


def _newest(journal: Revisions[ObjectRecord]) -> Iterator[tuple[str, ObjectRecord | None]]:
    """Yield each identifier and its newest record, None if that cannot be read."""
    for name in journal.identifiers():
        try:
            yield name, journal.latest(name)
        except FAULTS:
            yield name, None


def _present(name: str, found: dict[str, CollectionRule]) -> str:
    passed = {name}
    while (target := found.get(name, CollectionRule()).target) and target not in passed:
        name = target
        passed.add(name)
    return name
