"""The identifiers that images have now, and those that they are shown by as well."""

from collections.abc import Collection

from vitrine.errors import RecordDamaged
from vitrine.identify.resolve import MAX_CHAIN_LENGTH
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.ports import IdentifierTable
from vitrine.records import Record, Redirect, readable


def follow_redirects(
    table: IdentifierTable | ShownIdentifiers, names: Collection[str]
) -> dict[str, tuple[str, Record | None]]:
    """Return the identifier at the end of each name's redirects, and its record if it has one.

    A name that leads through more redirects than readers follow is left out, as it shows nothing.
    A damaged record counts as missing: changing it reads it again, and puts it right. Reads are
    consistent. Raises TransientError.
    """
    found: dict[str, tuple[str, Record | None]] = {}
    leads_to = {name: name for name in names}
    for _ in range(MAX_CHAIN_LENGTH + 1):
        records = table.get_many(set(leads_to.values()), consistent=True) if leads_to else {}
        further: dict[str, str] = {}
        for name, current in leads_to.items():
            match records.get(current):
                case Redirect(target=target):
                    further[name] = target
                case RecordDamaged():
                    found[name] = current, None
                case record:
                    found[name] = current, record
        leads_to = further
    return found


def led_to(
    table: IdentifierTable | ShownIdentifiers, names: Collection[str]
) -> dict[str, set[str]]:
    """Return each name with all identifiers that it leads to, or ever did, itself among them.

    Their images are in its collections. Reads are consistent. Raises TransientError.
    """
    leads: dict[str, set[str]] = {}
    waiting = {*names}
    while waiting:
        records = readable(table.get_many(waiting, consistent=True))
        leads |= {name: _targets(records.get(name)) for name in waiting}
        waiting = set[str]().union(*leads.values()) - leads.keys()
    found = {}
    for name in names:
        found[name], waiting = {name}, {name}
        while waiting:
            waiting = set[str]().union(*(leads[one] for one in waiting)) - found[name]
            found[name] |= waiting
    return found


def _targets(record: Record | None) -> set[str]:
    if record is None:
        return set()
    return {*record.previous_targets, *([record.target] if isinstance(record, Redirect) else ())}
