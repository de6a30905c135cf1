"""A mapped table is published: every object, then the collection that lists them."""

from collections.abc import Callable, Container, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import msgspec

from vitrine.access.collection_rules import CollectionRule, CollectionRules
from vitrine.access.rules import CLOSED, combine_rules, read_rule
from vitrine.catalogue import changes
from vitrine.catalogue.nesting import members_below
from vitrine.catalogue.objects import ChangeResult, Objects
from vitrine.catalogue.records import Item, follow_renames, rule_of
from vitrine.errors import ObjectRefused
from vitrine.iiif.presentation.model import Member, ObjectCollection
from vitrine.slices import split_batches
from vitrine.sources.iiif.nested_collections import Nesting
from vitrine.sources.mapping.mapped_text import in_each
from vitrine.sources.mapping.mapping_file import MappingFile, MappingUnusable
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.store.clock import now
from vitrine.store.omissions import FAULTS, describe_fault
from vitrine.text.ocr_results.pages import Unread
from vitrine.text.plain_texts import describe_briefly

THREADS = 16
"""Objects that are published at a time, of five requests to S3 each."""
BATCH = 500

PutItem = Callable[[Item], ChangeResult | str]
"""Publishes an object or a collection, or returns why it is refused."""


@dataclass
class TableReport:
    """What became of the objects of a table."""

    made: int = 0
    unchanged: int = 0
    waiting: list[str] = field(default_factory=list)
    """Objects of which an image is missing."""
    refused: list[tuple[int, str]] = field(default_factory=list)
    """Row and reason of those that were not published."""
    unsearched: list[tuple[str, str]] = field(default_factory=list)
    """Objects in whose texts nobody can search, and the reason."""
    unread: list[tuple[str, Unread]] = field(default_factory=list)
    """Objects with pages that OCR has yet to read."""
    rows: dict[int, str] = field(default_factory=dict)
    """Identifiers by row."""
    gone: list[str] = field(default_factory=list)
    """Members that the collection, or one in it, listed before and the source no longer has."""
    collection: ChangeResult | None = None

    def is_kept_closed(self, said: str) -> bool:
        """Return True if the collection was closed and stays so, though the table says `said`."""
        rule = rule_of(self.collection.record) if self.collection else ""
        return bool(said) and read_rule(said) != CLOSED and read_rule(rule) == CLOSED

    def counts(self, faults: int) -> dict[str, int]:
        """Return how many objects became what; `faults` of the table's rows have none."""
        return {
            "made": self.made,
            "unchanged": self.unchanged,
            "waiting": len(self.waiting),
            "refused": len(self.refused) + faults,
        }


def restrict_collection(
    objects: Objects,
    mapping: MappingFile,
    replace_withdrawn: Container[str] = (),
    take_over: Container[str] = (),
) -> None:
    """Put a collection that has a weaker rule of access than its table says under that one first.

    Each object that is put gets the rule that its collection has by then. A rule that opens comes
    with the collection, when rows that the table no longer has have left it.

    Raises MappingUnusable if the rule is another one and the collection will be refused, and
    TransientError.
    """
    name, said = mapping.identifier, mapping.access
    journal = objects.publisher.journal
    _, current = follow_renames(journal, name)
    if said and current is None:
        # Its images come before it.
        rule = CollectionRule(rule="" if said == "open" else said, owner=name)
        objects.publisher.memberships.table.change(lambda rules: _with_new(rules, name, rule))
    if not said or current is None or read_rule(said) == read_rule(rule_of(current)):
        return
    collection = ObjectCollection(identifier=name, label=in_each(mapping.label))
    is_wanted = name in replace_withdrawn
    try:
        changes.describe(
            collection,
            now(),
            replace_withdrawn=is_wanted,
            owner=name,
            takes_over=name in take_over,
        )(journal.latest(name))
    except ObjectRefused as error:
        raise MappingUnusable(
            f'[collection] access: "{said}" cannot hold, so nothing was uploaded. {error}'
        ) from error
    edit = changes.restrict(partial(rule_until_published, said), now())
    if edit(current):
        objects.change(name, edit)


def _with_new(
    rules: CollectionRules, name: str, rule: CollectionRule
) -> Mapping[str, CollectionRule]:
    known = rules.get(name)
    within, untagged = known.within, known.has_untagged
    return {name: msgspec.structs.replace(rule, within=within, has_untagged=untagged)}


def rule_until_published(said: str, known: str) -> str:
    """Return the rule that a collection has until its table is published."""
    both = combine_rules(known, said)
    if read_rule(both) != CLOSED or CLOSED in (read_rule(known), read_rule(said)):
        return both
    # Two that only together close, such as a size and a right: `closed` would stay for ever.
    return said if read_rule(said).shows == "nothing" else known


def publish_objects(
    objects: Objects,
    mapping: MappingFile,
    mapped: Iterable[MappedObject],
    on_progress: Callable[[int], None] = lambda done: None,
    *,
    nesting: Nesting | None = None,
    replace_withdrawn: Container[str] = (),
    take_over: Container[str] = (),
) -> TableReport:
    """Publish these and their collection; the same again changes nothing.

    With `nesting` there are collections in it. What was withdrawn is refused, but for what
    `replace_withdrawn` names, and what others own, but for what `take_over` names. Raises
    TransientError: the same call again goes on.
    """
    publisher, label = objects.publisher, in_each(mapping.label)
    # Pages of members say what the collection is called: also of those that did not change.
    is_renamed = publisher.site_pages.titles.announce(mapping.identifier, label)
    put_item = partial(_put_item, objects, mapping.identifier, replace_withdrawn, take_over)
    put = partial(_put, objects, put_item, with_pages=is_renamed)
    before = members_below(mapping.identifier, publisher.journal)
    return put_table(mapping, mapped, before, put_item, put, on_progress, nesting)


def put_table(
    mapping: MappingFile,
    mapped: Iterable[MappedObject],
    before: Iterable[str],
    put_item: PutItem,
    put: Callable[[MappedObject], ChangeResult | str],
    on_progress: Callable[[int], None] = lambda done: None,
    nesting: Nesting | None = None,
) -> TableReport:
    """Put these objects with `put`, then their collection, and those in it, with `put_item`.

    `before` has the identifiers that the collection listed. Raises what these two raise.
    """
    report, members, done = TableReport(), [], 0
    listed: set[str] = set()
    by_file: dict[str, Member] = {}
    with ThreadPoolExecutor(THREADS, thread_name_prefix="objects") as threads:
        for batch in split_batches(mapped, BATCH):
            results = threads.map(put, batch)
            for one, result in zip(batch, results, strict=True):
                _count(report, one, result)
                if not isinstance(result, str):
                    members.append(_member(one))
                    by_file[one.file] = members[-1]
            done += len(batch)
            on_progress(done)
        if collections := list(nesting.build(by_file)) if nesting else []:
            members = list(collections[-1].members)
            for inner, result in zip(
                collections[:-1],
                threads.map(put_item, collections[:-1]),
                strict=True,
            ):
                listed |= {inner.identifier, *(one.identifier for one in inner.members)}
                report.refused += [(0, result)] if isinstance(result, str) else []
    listed |= {member.identifier for member in [*members, *by_file.values()]}
    report.gone = [identifier for identifier in before if identifier not in listed]
    collection = ObjectCollection(
        identifier=mapping.identifier,
        label=in_each(mapping.label),
        summary=in_each(mapping.summary),
        thumbnail=mapping.thumbnail,
        members=tuple(members),
        access=mapping.access,
    )
    match put_item(collection):
        case ChangeResult() as result:
            report.collection = result
        case reason:
            report.refused.append((0, reason))
    return report


def _put(
    objects: Objects,
    put_item: PutItem,
    mapped: MappedObject,
    *,
    with_pages: bool,
) -> ChangeResult | str:
    result = put_item(mapped.item)
    if with_pages and isinstance(result, ChangeResult) and not result.publishing.made:
        objects.publisher.try_publishing(mapped.item.identifier, with_pages=True)
    return result


def _put_item(
    objects: Objects,
    owner: str,
    replace_withdrawn: Container[str],
    take_over: Container[str],
    item: Item,
) -> ChangeResult | str:
    try:
        return objects.put(
            item,
            replace_withdrawn=item.identifier in replace_withdrawn,
            # Somebody may have closed the collection since the table was read.
            keeps_closed=True,
            owner=owner,
            takes_over=item.identifier in take_over,
        )
    except FAULTS as error:
        return describe_fault(error)


def _count(report: TableReport, mapped: MappedObject, result: ChangeResult | str) -> None:
    if isinstance(result, str):
        report.refused.append((mapped.row, result))
        return
    report.rows[mapped.row] = mapped.item.identifier
    # What has changed may be published already, by the environment, which noticed its images.
    if result.changed or result.publishing.made:
        report.made += 1
    else:
        report.unchanged += 1
    if result.publishing.missing:
        report.waiting.append(mapped.item.identifier)
    if result.publishing.unsearched:
        report.unsearched.append((mapped.item.identifier, result.publishing.unsearched))
    if result.publishing.unread.pages:
        report.unread.append((mapped.item.identifier, result.publishing.unread))


def _member(mapped: MappedObject) -> Member:
    item = mapped.item
    return Member(
        identifier=item.identifier,
        label=item.label,
        image=item.canvases[0].image,
        line=describe_briefly((one.value for one in item.metadata), item.summary),
    )
