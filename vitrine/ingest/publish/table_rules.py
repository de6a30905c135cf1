"""The rules of access that a table has for its images, set before these are uploaded."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from vitrine.access.collection_rules import CollectionRules
from vitrine.access.rules import CLOSED, combine_rules, read_rule
from vitrine.errors import IdentifierRefused, PreconditionFailed
from vitrine.identify.access_changes import forget_own_rule, set_access
from vitrine.identify.current_names import follow_redirects
from vitrine.identify.effective_rule import effective, has_own_rule
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.owners import has_other_owner
from vitrine.identify.redirects.bulk import BATCH, Workers
from vitrine.identify.register import Edit, IdentifierChange
from vitrine.identify.resolve import MAX_CHAIN_LENGTH
from vitrine.ports import IdentifierTable
from vitrine.records import Record, Removed
from vitrine.slices import split_batches
from vitrine.store.clock import now
from vitrine.store.collection_rules import HeldRules
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.layout import COLLECTION_RULES

_PreviousNames = defaultdict[str, set[str]]
"""Names in a table that are other than their image's own, by image."""


class ImageRules(Protocol):
    """Where the rules of images are read and changed: `Curation`, or the API."""

    @property
    def table(self) -> IdentifierTable:
        """The records of images."""
        ...

    def change_rule(self, identifier: str, edit: Edit) -> IdentifierChange:
        """Change the rule of an image. Raises TransientError."""
        ...


@dataclass(frozen=True, kw_only=True)
class TableRules:
    """What a table says of its images."""

    owner: str = ""
    """The table's collection, whose images these are; those of others keep their rules."""
    own: dict[str, str] = field(default_factory=dict)
    """Rules of rows, by image."""
    images: dict[str, None] = field(default_factory=dict)
    """All images of the table."""
    default: str = ""
    """The rule of the table's collection, which holds for rows that say none."""
    decides: bool = False
    """True if the table itself says that rule; else the collection has it from elsewhere."""

    def add(self, image: str, rule: str) -> None:
        """Add an image of an object, with the rule of its row.

        For an image of two objects, both rules hold.
        """
        known = image in self.images
        if rule or image in self.own:
            before = self.own.get(image, self.default if known else "")
            self.own[image] = combine_rules(before, rule or self.default)
        self.images[image] = None


@dataclass(frozen=True, kw_only=True)
class RulesSet:
    """What a table's rules changed."""

    changed: int
    """Number of rules that changed."""
    kept_closed: tuple[str, ...]
    """Images that were closed and stay so, though the table says otherwise."""
    of_others: tuple[str, ...] = ()
    """Images of other collections, which keep their rules."""


def set_rules(
    images: ImageRules, table: TableRules, rules: HeldRules, has_rule_of_now: Callable[[], bool]
) -> RulesSet:
    """Set the rules of these images, also of those that are yet to be uploaded.

    Previous identifiers are followed to their images. No row opens an image that is closed, and no
    rule of the collection one that was closed for itself: somebody may have closed it for a reason
    that the table does not know. `has_rule_of_now` says whether the collection's rule is still that
    of `table`. It is called after records are read, and a record is replaced only if it is still
    as it was read: so nothing opens what somebody closes at this moment.

    Raises IdentifierRefused with code `rules-changed` or `redirect-endless`, and TransientError:
    the same call again goes on.
    """
    changed, kept, of_others = 0, dict[str, None](), dict[str, None]()
    previous = _PreviousNames(set)
    for batch in split_batches(table.images, BATCH):
        done = _set_batch(images, table, batch, previous, rules, has_rule_of_now)
        changed += done.changed
        kept |= dict.fromkeys(done.kept_closed)
        of_others |= dict.fromkeys(done.of_others)
    return RulesSet(changed=changed, kept_closed=tuple(kept), of_others=tuple(of_others))


class _Batch(NamedTuple):
    of_others: list[str]
    """Images of other collections."""
    closed: list[str]
    """Images that stay closed against the table."""
    edits: dict[str, Edit]
    """Edits that change other images, by identifier."""


def _set_batch(
    images: ImageRules,
    table: TableRules,
    names: list[str],
    previous: _PreviousNames,
    rules: HeldRules,
    has_rule_of_now: Callable[[], bool],
) -> RulesSet:
    changed = 0

    def write() -> RulesSet:
        nonlocal changed
        known = rules()
        batch = _read_batch(images.table, table, names, previous, known)
        if batch.edits and not has_rule_of_now():
            raise IdentifierRefused(
                "rules-changed",
                "The rule of access of a collection was changed while the table was read. Nothing "
                "was uploaded; run the same command again, so that the new rule holds.",
            )
        if rules() is not known and rules() != known:
            raise PreconditionFailed(COLLECTION_RULES)
        with Workers() as workers:
            changes = list(workers.map(lambda one: images.change_rule(*one), batch.edits.items()))
        changed += sum(change.made for change in changes)
        if not all(change.made for change in changes):
            raise PreconditionFailed(names[0])
        return RulesSet(
            changed=changed,
            kept_closed=tuple(sorted(batch.closed)),
            of_others=tuple(batch.of_others),
        )

    return retry_if_changed(write, "The rules of a table's images")


def _read_batch(
    identifiers: IdentifierTable,
    table: TableRules,
    names: list[str],
    previous: _PreviousNames,
    rules: CollectionRules | None,
) -> _Batch:
    """Find out what a batch of names changes.

    Raises IdentifierRefused with code `redirect-endless`.
    """
    usable = dict(_usable(names))
    followed = follow_redirects(identifiers, set(usable.values()))
    if lost := sorted(set(usable.values()) - followed.keys()):
        raise IdentifierRefused(
            "redirect-endless",
            f'"{lost[0]}" leads through more than {MAX_CHAIN_LENGTH} redirects, or in a circle, so '
            "no image can get its rule of access. Nothing was uploaded; `vitrine redirects check` "
            "names such redirects and what to do.",
        )
    ends = {name: followed[identifier] for name, identifier in usable.items()}
    is_own = {name: not has_other_owner(record, table.owner) for name, (_, record) in ends.items()}
    of_others = {current for name, (current, _) in ends.items() if not is_own[name]}
    records = {current: record for name, (current, record) in ends.items() if is_own[name]}
    for name, (current, _) in ends.items():
        if is_own[name] and name != current:
            previous[current].add(name)
    # Names of one image are rows of one image: a row that says nothing counts among them.
    now_named = TableRules(default=table.default)
    for current in records:
        for name in {current, *previous.get(current, ())} & table.images.keys():
            now_named.add(current, table.own.get(name, ""))
    closed, edits = list[str](), dict[str, Edit]()
    for current, record in records.items():
        edited = _edit(current, now_named.own.get(current, ""), decides=table.decides)(record)
        if edited is None:
            continue
        if _is_closed(record, rules, is_row=current in now_named.own) and (
            read_rule(effective(edited, rules)) != CLOSED or current not in now_named.own
        ):
            if read_rule(effective(edited, rules)) != CLOSED:
                closed.append(current)
            continue  # its own rule stays: a collection that opens later does not open it
        edits[current] = _if_unchanged(record, edited)
    return _Batch(sorted(of_others), closed, edits)


def _if_unchanged(read: Record | None, edited: Record) -> Edit:
    """Replace a record by `edited` if it is the one that was read; leave another as it is."""

    def edit(current: Record | None) -> Record | None:
        return edited if current == read else None

    return edit


def _edit(identifier: str, rule: str, *, decides: bool) -> Edit:
    if rule:
        return set_access(identifier, rule, now())
    return forget_own_rule if decides else lambda current: None


def _is_closed(record: Record | None, rules: CollectionRules | None, *, is_row: bool) -> bool:
    if record is None or read_rule(effective(record, rules)) != CLOSED:
        return False
    if isinstance(record, Removed) and not (has_own_rule(record) or record.kept):
        return False  # nobody closed it but its collections, and there is no image yet
    return is_row or has_own_rule(record)


def _usable(names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what can be an identifier; what cannot has no image: its migration says so."""
    for name in names:
        try:
            yield name, parse_identifier(name)
        except IdentifierRefused:
            continue
