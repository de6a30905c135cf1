"""The edits of who may see an image: its own rule, and the collections that show it.

As all edits (`vitrine.identify.changes`), pure functions of the current record.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from vitrine.access.rules import INHERITED, strictest
from vitrine.errors import IdentifierRefused
from vitrine.identify.owners import has_other_owner
from vitrine.identify.register import Edit
from vitrine.identify.stated_rules import (
    with_collections,
    with_own_rule,
    with_restored_rule,
)
from vitrine.records import Record, Redirect, Removed
from vitrine.store.revisions import check_revision

NOTHING_KEPT: Mapping[str, str] = MappingProxyType({})


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


def follow_collections(
    identifier: str,
    collections: Collection[str],
    at: str,
    *,
    forgets: Collection[tuple[str, str]] = (),
    over: int | None = None,
) -> Edit:
    """Give up the rule of an identifier's own, so that it follows these collections.

    Of the rules that it kept, those are forgotten that `forgets` has. Refused as in `set_access`;
    `over` as there.
    """

    def edit(current: Record | None) -> Record | None:
        check_revision(identifier, current.revision if current else 0, over)
        base = current or Removed(identifier=identifier, changed_at=at)
        _refuse_redirect(base)
        kept = dict(one for one in base.kept if one not in forgets)
        edited = with_collections(with_own_rule(base, INHERITED), collections, kept)
        return None if edited == base else edited

    return edit


def forget_own_rule(current: Record | None) -> Record | None:
    """Give up the rule of an identifier's own, if it has one, as an edit."""
    if current is None or current.access in ("", INHERITED):
        return None
    return with_own_rule(current, INHERITED)


def join_collections(
    identifier: str,
    names: Collection[str],
    at: str,
    *,
    rules_version: int,
    replacing: Collection[str] = (),
) -> Edit:
    """Note that these collections show an identifier, also before it has an image.

    Their rules hold from then on, as the table has them in this version or later (0: they have
    none), instead of those that `replacing` had when it left them.
    """

    def edit(current: Record | None) -> Record | None:
        base = current or Removed(identifier=identifier, changed_at=at)
        kept = {name: rule for name, rule in base.kept if name not in replacing}
        edited = with_collections(base, {*base.collections, *names}, kept)
        if edited != base or isinstance(base, Removed):
            # What is yet to be uploaded is under the current rules from its first moment.
            edited = replace(edited, rules_version=max(base.rules_version, rules_version))
        return None if edited == base else edited

    return edit


def leave_collections(names: Collection[str], kept: Mapping[str, str] = NOTHING_KEPT) -> Edit:
    """Note that these collections do not show an identifier any more, which keeps these rules.

    `kept` has them by collection.
    """

    def edit(current: Record | None) -> Record | None:
        if current is None:
            return None
        both = dict(current.kept)
        for name, rule in kept.items():
            both[name] = strictest((both.get(name, ""), rule))
        edited = with_collections(current, {*current.collections} - {*names}, both)
        return None if edited == current else edited

    return edit


def take_over_rules(identifier: str, source: Redirect, at: str) -> Edit:
    """Put an identifier into the collections of a redirect that leads to it, with what that kept.

    Also before it has an image. Who may name an image of another owner may not close it.
    """

    def edit(current: Record | None) -> Record | None:
        base = current or Removed(identifier=identifier, changed_at=at)

        def is_ruled(collection: str) -> bool:
            return base.owner in ("", source.owner or collection)

        kept = dict(base.kept)
        for name, rule in filter(lambda one: is_ruled(one[0]), source.kept):
            kept[name] = strictest((kept.get(name, ""), rule))
        joined = {*base.collections, *filter(is_ruled, source.collections)}
        edited = with_collections(base, joined, kept)
        if edited == base:
            return None
        return replace(edited, rules_version=max(base.rules_version, source.rules_version))

    return edit


def _refuse_redirect(record: Record) -> None:
    if isinstance(record, Redirect):
        raise IdentifierRefused(
            "no-image",
            f'"{record.identifier}" redirects to "{record.target}": set the rule of that one.',
        )


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
