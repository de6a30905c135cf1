"""The edits of who may see an image: its own rule, and those that it has from collections.

As all edits (`vitrine.identify.changes`), pure functions of the current record.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from vitrine.access.rules import combine_rules
from vitrine.errors import IdentifierRefused
from vitrine.identify.inherited_rules import (
    has_own_rule,
    rules_for,
    with_inherited,
    with_own_rule,
    with_restored_rule,
    with_rules_of_both,
    without_own_rule,
)
from vitrine.identify.owners import has_other_owner
from vitrine.identify.register import Edit
from vitrine.records import Live, Record, Redirect, Removed
from vitrine.store.revisions import check_revision


def set_access(identifier: str, rule: str, at: str, *, over: int | None = None) -> Edit:
    """Set the rule of access of an identifier itself, also before it has an image.

    Refused with code `no-image` for a redirect, whose target's rule counts. `over` as in
    `set_redirect`.
    """

    def edit(current: Record | None) -> Record | None:
        check_revision(identifier, current.revision if current else 0, over)
        if current is None:
            return Removed(identifier=identifier, changed_at=at, access=rule)
        _refuse_redirect(current)
        edited = with_own_rule(current, rule)
        return None if edited == current else edited

    return edit


def inherit_access(
    identifier: str,
    rules: Mapping[str, str],
    at: str,
    *,
    instead_of: Collection[str] = (),
    forget_own: bool = False,
    only_new: bool = False,
    owners: Mapping[str, str] = MappingProxyType({}),
) -> Edit:
    """Put an identifier under rules of collections, also before it has an image.

    `rules` has them by collection; they replace those of the same collections, and of `instead_of`;
    with `only_new` none. With `forget_own`, it gives up the rule of its own. Rules of collections
    that have another owner by `owners` are left out. Refused as in `set_access`.
    """

    def edit(current: Record | None) -> Record | None:
        base = current or Removed(identifier=identifier, changed_at=at)
        _refuse_redirect(base)
        kept = {name: rule for name, rule in base.inherited if name not in instead_of}
        new = rules_for(rules, owners, base.owner)
        edited = with_inherited(base, new | kept if only_new else kept | new)
        if forget_own and has_own_rule(edited):
            edited = without_own_rule(edited)
        return None if edited == base else edited

    return edit


def restrict_inherited(
    identifier: str,
    rules: Mapping[str, str],
    at: str,
    owners: Mapping[str, str] = MappingProxyType({}),
) -> Edit:
    """Add these rules of collections to those of an identifier: it shows no more than before.

    Of a collection that it has a rule of, both hold. `owners` as in `inherit_access`. Refused as in
    `set_access`.
    """

    def edit(current: Record | None) -> Record | None:
        base = current or Removed(identifier=identifier, changed_at=at)
        _refuse_redirect(base)
        kept, new = dict(base.inherited), rules_for(rules, owners, base.owner)
        both = {name: combine_rules(kept.get(name, ""), rule) for name, rule in new.items()}
        edited = with_inherited(base, kept | both)
        return None if edited == base else edited

    return edit


def return_to_inherited(
    identifier: str, rules: Mapping[str, str], at: str, *, over: int | None = None
) -> Edit:
    """Give up the rule of an identifier's own, and put it under these rules of collections alone.

    The record has the moment from then on. Refused as in `set_access`; `over` as there.
    """

    def edit(current: Record | None) -> Record | None:
        check_revision(identifier, current.revision if current else 0, over)
        base = current or Removed(identifier=identifier, changed_at=at)
        _refuse_redirect(base)
        edited = with_inherited(without_own_rule(base), rules)
        return None if edited == base else replace(edited, given_back_at=at)

    return edit


def _refuse_redirect(record: Record) -> None:
    if isinstance(record, Redirect):
        raise IdentifierRefused(
            "no-image",
            f'"{record.identifier}" redirects to "{record.target}": set the rule of that one.',
        )


def restrict_access(image: Live, other: Record) -> Edit:
    """Let nobody see more of an image, of any version, than the rule of `other` allows."""

    def edit(current: Record | None) -> Record | None:
        if not isinstance(current, Live) or current.master_key != image.master_key:
            return None
        edited = with_rules_of_both(current, other)
        return None if edited == current else edited

    return edit


def restore_rule(saved: Record, at: str) -> Edit:
    """Put an identifier under the rule that it had elsewhere, also before it has an image.

    A rule that it already has stays. Refused with code `identifier-owned` for what has another
    owner here.
    """

    def edit(current: Record | None) -> Record | None:
        is_other = not isinstance(current, Removed | None) and current.owner != saved.owner
        if current and (is_other or has_other_owner(current, saved.owner)):
            whose = f'the collection "{current.owner}"' if current.owner else "no collection"
            raise IdentifierRefused(
                "identifier-owned",
                f'"{current.identifier}" belongs to {whose} here: its rule of access stays as it '
                "is.",
            )
        base = current or Removed(identifier=saved.identifier, changed_at=at, owner=saved.owner)
        edited = with_restored_rule(base, saved)
        return None if edited == base else edited

    return edit
