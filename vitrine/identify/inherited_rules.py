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
    """Return True if somebody set a rule for this identifier, be it `open`."""
    return bool(record.access) and not record.inherits


def with_inherited(record: AnyRecord, inherited: Mapping[str, str]) -> AnyRecord:
    """Return the record under these rules of collections, which hold if it has none of its own.

    All of them hold: nobody sees more than under each.
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


def with_rules_of_both(record: AnyRecord, other: Record) -> AnyRecord:
    """Return the record under its rule and that of another one.

    Of rules that were set for the two, and of those of their collections, nobody sees more than
    under each. What was set holds, and not what follows from collections, as it did before.
    """
    if not record.access and not record.inherited:
        return copy_rule(record, other)
    inherited = dict(record.inherited)
    for name, rule in other.inherited:
        inherited[name] = combine_rules(inherited.get(name, ""), rule)
    own = [one.access for one in (record, other) if has_own_rule(one)]
    if own:
        record = with_own_rule(record, reduce(combine_rules, own))
    return with_inherited(record, inherited)


def with_restored_rule(record: AnyRecord, saved: Record) -> AnyRecord:
    """Return the record under the rule that it had elsewhere, with where that is from.

    Where there is a rule already, both hold: nobody sees more than under each. What collections say
    becomes nobody's own rule. So an `open` of its own that only one of the two has gives way to the
    collections of both; another rule of its own becomes as strict as both, since it holds alone.
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
    inherited = dict(record.inherited)
    for name, other in saved.inherited:
        inherited[name] = combine_rules(inherited.get(name, ""), other)
    return with_inherited(record, inherited)


def _with_access(record: AnyRecord, rule: str, *, inherits: bool) -> AnyRecord:
    """Return the record under this rule, and the versions of it that are shown until it is."""
    record = replace(record, access=rule, inherits=inherits)
    if isinstance(record, Live) and record.before:
        record = replace(record, before=replace_access(record.before, rule))
    return record


def replace_access(image: Live, rule: str) -> Live:
    """Return an image of before under this rule, with those before it."""
    before = replace_access(image.before, rule) if image.before else None
    return replace(image, access=rule, before=before)
