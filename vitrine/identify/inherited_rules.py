"""The rule of a record: its own, or the one that follows from the collections that it is in.

Rules of collections are kept while a record has one of its own, so that it can be given back.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import TypeVar

from vitrine.access.rules import OPEN, combine_rules, read_rule
from vitrine.records import Live, Record

AnyRecord = TypeVar("AnyRecord", bound=Record)


def has_own_rule(record: Record) -> bool:
    """Return True if somebody set a rule for this identifier itself, `open` included."""
    return bool(record.access) and not record.inherits


def rules_for(rules: Mapping[str, str], owners: Mapping[str, str], owner: str) -> dict[str, str]:
    """Return those of the rules of collections that images of this owner are under.

    A collection that a person made by itself, which has no owner, rules all images in it.
    """
    if not owner:
        return dict(rules)
    return {name: rule for name, rule in rules.items() if owners.get(name, owner) == owner}


def with_inherited(record: AnyRecord, inherited: Mapping[str, str]) -> AnyRecord:
    """Return the record under these rules of collections, which hold if it has none of its own.

    All of them hold together (`combine_rules`).
    """
    kept = {name: rule for name, rule in inherited.items() if rule != "open"}
    record = replace(record, inherited=tuple(sorted(kept.items())))
    if has_own_rule(record):
        return record
    if not kept and not record.access:
        return record
    return _with_access(record, reduce(combine_rules, kept.values(), "") or "open", inherits=True)


def with_own_rule(record: AnyRecord, rule: str) -> AnyRecord:
    """Return the record under a rule of its own."""
    return _with_access(record, rule, inherits=False)


def without_own_rule(record: AnyRecord) -> AnyRecord:
    """Return the record under the rules of its collections alone; open without any."""
    record = _with_access(record, "open", inherits=True)
    return with_inherited(record, dict(record.inherited))


def copy_rule(record: AnyRecord, source: Record) -> AnyRecord:
    """Return the record with the rule of another one, and with where that is from."""
    record = replace(record, inherited=source.inherited)
    return _with_access(record, source.access, inherits=source.inherits)


def with_rules_of_both(record: AnyRecord, image: Record) -> AnyRecord:
    """Return the record of an image's new name under its rule and that of the image until now.

    Rules that were set for the two are combined, and so are those of their collections
    (`combine_rules`). As before, a rule that was set for the image takes precedence over those of
    collections. What was set for the name alone, perhaps long ago, opens nothing.
    """
    if not has_own_rule(image):
        return with_restored_rule(record, image)
    own = [one.access for one in (record, image) if has_own_rule(one)]
    record = with_own_rule(record, reduce(combine_rules, own))
    return with_inherited(record, _inherited_by_both(record, image))


def with_restored_rule(record: AnyRecord, saved: Record) -> AnyRecord:
    """Return the record under the rule that it had elsewhere, with where that is from.

    If it has a rule already, both hold together (`combine_rules`). A rule of collections never
    becomes the record's own. So if only one of the two has an `open` of its own, the rules of both
    records' collections hold instead; another rule of its own becomes as strict as both rules,
    since it holds alone.
    """
    if not has_own_rule(record) and read_rule(record.access) == OPEN:
        return copy_rule(record, saved)
    if not has_own_rule(saved) and read_rule(saved.access) == OPEN:
        return record
    own = [one.access for one in (record, saved) if has_own_rule(one)]
    if len(own) == 2 or any(read_rule(rule) != OPEN for rule in own):
        record = with_own_rule(record, combine_rules(record.access, saved.access))
    else:
        record = without_own_rule(record)
    return with_inherited(record, _inherited_by_both(record, saved))


def _inherited_by_both(record: Record, other: Record) -> dict[str, str]:
    """Return the rules of the collections of two records, the stricter where both have one."""
    inherited = dict(record.inherited)
    for name, rule in other.inherited:
        inherited[name] = combine_rules(inherited.get(name, ""), rule)
    return inherited


def _with_access(record: AnyRecord, rule: str, *, inherits: bool) -> AnyRecord:
    """Return the record under this rule, and so the versions that are shown until its switch."""
    record = replace(record, access=rule, inherits=inherits)
    if isinstance(record, Live) and record.before:
        record = replace(record, before=replace_access(record.before, rule))
    return record


def replace_access(image: Live, rule: str) -> Live:
    """Return a previous version of an image under this rule, with the versions before it."""
    before = replace_access(image.before, rule) if image.before else None
    return replace(image, access=rule, before=before)
