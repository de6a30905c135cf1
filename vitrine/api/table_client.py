"""A table that is published through the API, by people whose rights end at their department's.

They read what the service has, and upload masters of their own, by rights of AWS; the API alone
changes records, and compares the owner of each with the collections of its caller (docs/adr/0042).
"""

from collections.abc import Callable, Collection, Container, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import msgspec

from vitrine.access.rules import read_rule
from vitrine.api.client import ApiClient
from vitrine.api.objects_client import ObjectsClient
from vitrine.catalogue.nesting import members_below
from vitrine.catalogue.objects import ChangeResult
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import Described, Item, follow_renames, rule_of, used_images
from vitrine.errors import (
    ObjectRefused,
    RevisionChanged,
    TransientError,
)
from vitrine.identify.effective_rule import has_own_rule
from vitrine.identify.register import Edit, IdentifierChange
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.ports import IdentifierTable
from vitrine.records import Record
from vitrine.sources.iiif.nested_collections import Nesting
from vitrine.sources.mapping.mapped_text import in_each
from vitrine.sources.mapping.mapping_file import MappingFile, MappingUnusable
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.publish_objects import (
    TableReport,
    put_table,
    rule_until_published,
)
from vitrine.store.omissions import FAULTS, describe_fault


@dataclass(frozen=True, kw_only=True)
class TableClient:
    """Publishes the table of one collection. Its `publisher` is read, and never written with."""

    api: ApiClient
    publisher: Publisher
    collection: str
    replace_withdrawn: Container[str] = ()

    @property
    def table(self) -> IdentifierTable:
        """The records of images."""
        return self.publisher.identifiers

    def put(self, item: Item) -> ChangeResult:
        """Publish an object or a collection. Raises ObjectRefused, ServiceRefused, TransientError.

        What belongs to others, or to nobody, is refused with code `collection-forbidden`.
        """
        objects = ObjectsClient(api=self.api, publisher=self.publisher, collection=self.collection)
        return objects.put(item, replace_withdrawn=item.identifier in self.replace_withdrawn)

    def begin(self, mapping: MappingFile) -> None:
        """Let the collection show no more than its table says, before anything is uploaded.

        Raises MappingUnusable if it is refused, ServiceRefused and TransientError.
        """
        _, current = follow_renames(self.publisher.journal, mapping.identifier)
        known, said = rule_of(current), mapping.access
        if not said or (current and read_rule(said) == read_rule(known)):
            return
        rule = rule_until_published(said, known)
        match current:
            case Described(item=ObjectCollection() as item):
                collection = msgspec.structs.replace(item, access=rule)
            case _:
                collection = ObjectCollection(
                    identifier=mapping.identifier, label=in_each(mapping.label), access=rule
                )
        try:
            self.put(collection)
        except ObjectRefused as error:
            raise MappingUnusable(
                f'[collection] access: "{said}" cannot hold, so nothing was uploaded. {error}'
            ) from error

    def announce(self, mapped: Iterable[MappedObject], restricted: Collection[str]) -> None:
        """Put the objects that are new, or are to show other `restricted` images than before.

        So the service knows whose the images are, and gives them the rules of their collections,
        before they are uploaded. What is refused is so again, and named, when the table is
        published. Raises ServiceRefused and TransientError.
        """
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="objects") as threads:
            for _ in threads.map(self.try_putting, self._to_announce(mapped, restricted)):
                pass

    def _to_announce(
        self, mapped: Iterable[MappedObject], restricted: Collection[str]
    ) -> Iterator[Item]:
        for one in mapped:
            current = self.publisher.journal.latest(one.item.identifier)
            joins = {canvas.image for canvas in one.item.canvases} - used_images(current)
            if current is None or not joins.isdisjoint(restricted):
                yield one.item

    def try_putting(self, item: Item) -> ChangeResult | str:
        """Publish an object or a collection; return why if it is refused. Raises as `put`."""
        try:
            return self.put(item)
        except FAULTS as error:
            return describe_fault(error)

    def change_rule(self, identifier: str, edit: Edit) -> IdentifierChange:
        """Set the rule of an image itself; those of collections the service sets.

        Raises IdentifierRefused with the API's code, ServiceRefused, and TransientError, also for
        an image that has yet to get the rule of a collection.
        """
        before = self.table.get(identifier)
        edited = edit(before)
        if edited is None:
            return IdentifierChange(before, before, made=False)
        rule = _own_rule(before, edited)
        if rule is None:
            raise TransientError(
                f'The image "{identifier}" has not got the rule of its collection yet, so nothing '
                "was uploaded; try again."
            )
        try:
            self.api.put_access(
                identifier,
                rule,
                over=before.revision if before else 0,
                collection=self.collection,
            )
        except RevisionChanged:
            return IdentifierChange(before, before, made=False)
        return IdentifierChange(before, self.table.get(identifier), made=True)

    def publish(
        self,
        mapping: MappingFile,
        mapped: Iterable[MappedObject],
        on_progress: Callable[[int], None] = lambda done: None,
        nesting: Nesting | None = None,
    ) -> TableReport:
        """Publish the objects of a table, and their collection. Raises as `put_table`."""
        before = members_below(mapping.identifier, self.publisher.journal)
        return put_table(
            mapping,
            mapped,
            before,
            self.try_putting,
            lambda one: self.try_putting(one.item),
            on_progress,
            nesting,
        )


_THREADS = 16
"""Calls at a time."""


def _own_rule(before: Record | None, edited: Record) -> str | None:
    """Return the rule that an image is to get for itself; None if that stays as it is."""
    had = before.access if before and has_own_rule(before) else None
    has = edited.access if has_own_rule(edited) else None
    return None if had == has else has or "inherited"
