"""What the table of collections' rules says, brought in line with a collection's record.

The table changes in two steps. What restricts is written before the record, what opens after it, so
between the two more is closed, not less. Each write is also announced before it is made: the edge
has to forget although the process may die.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from vitrine.access.collection_rules import CollectionRule, CollectionRules
from vitrine.access.rules import combine_rules, read_rule
from vitrine.catalogue.records import Described, ObjectRecord, Renamed, rule_of
from vitrine.events import RulesChanged
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.ports import EventBus
from vitrine.store.collection_rules import HeldRules, Rules

replace = msgspec.structs.replace


@dataclass(frozen=True)
class RuledTable:
    """Writes the table, and announces which collections' images are under other rules."""

    held: HeldRules
    events: EventBus

    def read(self) -> CollectionRules | None:
        """Return the table; None without one that can be read. Raises TransientError."""
        return self.held()

    def change(self, change: Rules) -> CollectionRules:
        """Write what `change` makes of the table, announced before and after; return it.

        Raises TransientError.
        """

        def announced(rules: CollectionRules) -> Mapping[str, CollectionRule]:
            changed = _with_untagged(rules, change(rules))
            for event in _events(rules, rules.replace(changed), rules.version):
                self.events.publish(event.name(), event.detail())
                if event.everything:
                    # The edge forgets all images, and keeps only answers with the tag from then on.
                    one = changed.get(event.identifier, rules.get(event.identifier))
                    changed[event.identifier] = replace(one, has_untagged=False)
            return changed

        before, after = self.held.change(announced)
        for event in _events(before, after, after.version):
            self.events.publish(event.name(), event.detail())
        return after

    def announce(self, name: str, before: CollectionRules, after: CollectionRules) -> None:
        """Announce that images in a collection are under other rules in one table than in another.

        Nothing is announced of those that are under the same.
        """
        if _demands(before, name) != _demands(after, name):
            event = _event(name, before, after.version)
            self.events.publish(event.name(), event.detail())

    def note_untagged(self, names: Collection[str], rules: CollectionRules) -> None:
        """Note that the edge may have answers without the tags of these and outer collections.

        Nothing is written if `rules`, read just now, say so. Raises TransientError.
        """
        if all(rules.get(name).has_untagged for name in rules.around_all(names)):
            return

        def change(rules: CollectionRules) -> Mapping[str, CollectionRule]:
            return {
                name: replace(rules.get(name), has_untagged=True)
                for name in rules.around_all(names)
            }

        self.change(change)


def restricting(
    record: ObjectRecord, inner: Collection[str], outer: Callable[[], Collection[str]]
) -> Rules:
    """Return the first step: the record's rule if it is stricter, and which collection is in which.

    `inner` are the collections that it has beyond those before, `outer` finds those that list it.
    """

    def change(rules: CollectionRules) -> Mapping[str, CollectionRule]:
        name, changed = record.identifier, dict[str, CollectionRule]()
        if not _is_collection(record):
            return changed
        one = rules.get(name)
        rule = said_rule(record)
        if not one.rule:
            one = replace(one, owner=record.owner)
        if read_rule(combine_rules(one.rule, rule)) == read_rule(rule):
            one = replace(one, rule=rule)
        within = tuple(sorted({*one.within, *outer()}))
        changed[name] = replace(one, within=within, target="", revision=record.revision)
        for each in sorted(inner):
            known = changed.get(each, rules.get(each))
            joined = tuple(sorted({*known.within, name}))
            changed[each] = replace(known, within=joined)
        return changed

    return change


def settling(
    record: ObjectRecord, left: Collection[str], outer: Callable[[], Collection[str]]
) -> Rules:
    """Return the second step: what the table says of a record that is the newest one.

    `left` are the collections that it lists no more. A withdrawn collection is in no other, and
    still restricts what it showed, and what names it. A previous identifier leads to the present
    one, which `outer` is asked for then.
    """

    def change(rules: CollectionRules) -> Mapping[str, CollectionRule]:
        name = record.identifier
        one, changed = rules.get(name), dict[str, CollectionRule]()
        match record:
            case _ if _is_collection(record):
                one = replace(one, rule=said_rule(record), owner=record.owner, target="")
            case Renamed(target=target) if one.target or one.rule or one.within:
                one = replace(one, rule="", owner="", target=target)
                known = rules.get(target)
                within = tuple(sorted({*known.within, *outer()} - {target, name}))
                changed[target] = replace(known, within=within)
            case _:
                rule = said_rule(record)
                one = replace(one, rule=rule, owner=record.owner, within=(), target="")
        changed[name] = replace(one, revision=record.revision)
        for inner in left:
            known = changed.get(inner, rules.get(inner))
            changed[inner] = replace(known, within=tuple(n for n in known.within if n != name))
        return changed

    return change


def unless_newer(record: ObjectRecord, rules: Rules) -> Rules:
    """Return the same change, but none of a table that rests on a newer record or is about to.

    Somebody else may be about to restrict it.
    """

    def change(known: CollectionRules) -> Mapping[str, CollectionRule]:
        is_newer = known.get(record.identifier).revision > record.revision
        return {} if is_newer else rules(known)

    return change


def said_rule(record: ObjectRecord | None) -> str:
    """Return the rule that a collection has, or had before it was something else.

    "" for `open`, and for what never was a collection.
    """
    rule = rule_of(record)
    return "" if rule == "open" else rule


def rules_at(rules: CollectionRules, before: ObjectRecord | None) -> CollectionRules:
    """Return the table as it was while a record was the newest: with the rule that it said."""
    if not isinstance(before, Described) or not _is_collection(before):
        return rules
    name = before.identifier
    one = replace(rules.get(name), rule=said_rule(before), owner=before.owner)
    return rules.replace({name: one})


def _with_untagged(
    rules: CollectionRules, change: Mapping[str, CollectionRule]
) -> dict[str, CollectionRule]:
    """Return a change, with a note of each collection that is around others by it.

    The edge may have answers of the images in these, without the tag of that.
    """
    changed, later = dict(change), rules.replace(change)
    for name in change:
        for outer in {*later.around(name)} - {*rules.around(name)}:
            known = changed.get(outer, rules.get(outer))
            changed[outer] = replace(known, has_untagged=True)
    return changed


def _is_collection(record: ObjectRecord | None) -> bool:
    return isinstance(record, Described) and isinstance(record.item, ObjectCollection)


def _events(
    before: CollectionRules, after: CollectionRules, version: int
) -> Iterator[RulesChanged]:
    """Yield an event for each changed collection whose images are under other rules by that."""
    for name in sorted(before.collections.keys() | after.collections.keys()):
        was, is_now = before.get(name), after.get(name)
        if (was.rule, was.owner, was.within, was.target) == (
            is_now.rule,
            is_now.owner,
            is_now.within,
            is_now.target,
        ):
            continue
        if _demands(before, name) != _demands(after, name):
            yield _event(name, before, version)


def _event(name: str, before: CollectionRules, version: int) -> RulesChanged:
    is_untagged = before.get(name).has_untagged
    return RulesChanged(identifier=name, version=version, everything=is_untagged)


def _demands(rules: CollectionRules, name: str) -> set[tuple[str, str]]:
    around = (rules.get(one) for one in rules.around(name))
    return {(one.rule, one.owner) for one in around if one.rule}
