"""What a record states about who may see it: a rule of its own, and its collections."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeVar

from vitrine.access.rules import INHERITED, combine_rules, strictest
from vitrine.identify.effective_rule import has_own_rule
from vitrine.records import Live, Record

AnyRecord = TypeVar("AnyRecord", bound=Record)


def with_collections(
    record: AnyRecord, collections: Collection[str], kept: Mapping[str, str]
) -> AnyRecord:
    """Return the record with the collections that show it, and the rules of those that it left.

    It follows them unless it has a rule of its own.
    """
    kept = {name: rule for name, rule in kept.items() if strictest([rule])}
    if not record.access and (collections or kept):
        record = with_own_rule(record, INHERITED)
    return replace(
        record, collections=tuple(sorted(set(collections))), kept=tuple(sorted(kept.items()))
    )


def with_own_rule(record: AnyRecord, rule: str) -> AnyRecord:
    """Return the record under a rule of its own, with the versions shown until its switch.

    With `inherited`, it follows its collections.
    """
    if isinstance(record, Live) and record.before:
        return replace(record, access=rule, before=with_own_rule(record.before, rule))
    return replace(record, access=rule)


def copy_rule(record: AnyRecord, source: Record) -> AnyRecord:
    """Return the record with the rule of another one, and with its collections."""
    record = replace(
        record,
        previous_targets=source.previous_targets,
        collections=source.collections,
        kept=source.kept,
        rules_version=source.rules_version,
    )
    return with_own_rule(record, source.access)


def with_rules_of_both(record: AnyRecord, image: Record) -> AnyRecord:
    """Return the record of an image's new name with the rules of the image until now as well.

    It is in the collections of both. Rules that were set for the two are combined, and take
    precedence over those of collections, as before. What was set for the name alone, perhaps long
    ago, opens nothing: it holds together with the rules of collections.
    """
    kept = _kept_by_both(record, image)
    if has_own_rule(image):
        own = image.access
        if has_own_rule(record):
            own = combine_rules(record.access, own)
        record = with_own_rule(record, own)
    elif has_own_rule(record) and (image.collections or image.kept):
        if name_rule := strictest([record.access]):
            kept[record.identifier] = strictest((kept.get(record.identifier, ""), name_rule))
        record = with_own_rule(record, INHERITED)
    record = replace(record, rules_version=max(record.rules_version, image.rules_version))
    return with_collections(record, {*record.collections, *image.collections}, kept)


def with_restored_rule(record: AnyRecord, saved: Record) -> AnyRecord:
    """Return the record under the rule that it had elsewhere, whose collections come by themselves.

    If both have a rule of their own, both hold together (`combine_rules`). If only one has, and the
    other is in collections, it holds together with the rules of these, and `open` gives way.
    """
    passed = {*record.previous_targets, *saved.previous_targets}
    record = replace(record, previous_targets=tuple(sorted(passed)))
    kept = _kept_by_both(record, saved)
    own = [one.access for one in (record, saved) if has_own_rule(one)]
    other = saved if has_own_rule(record) else record
    if len(own) == 2:
        record = with_own_rule(record, combine_rules(*own))
    elif own and (other.collections or other.kept):
        if rule := strictest(own):
            kept[record.identifier] = strictest((kept.get(record.identifier, ""), rule))
        record = with_own_rule(record, INHERITED)
    elif own:
        record = with_own_rule(record, own[0])
    return with_collections(record, record.collections, kept)


def _kept_by_both(record: Record, other: Record) -> dict[str, str]:
    """Return the rules that two records kept from collections, the stricter where both have one."""
    kept = dict(record.kept)
    for name, rule in other.kept:
        kept[name] = strictest((kept.get(name, ""), rule))
    return kept
