"""Identifiers of a collection's images: one that is taken gets the collection's own in front.

A table names its images by their files, and two folders may both have a `001.jpg`. The first
collection that publishes one has the image `001`; that of a collection `maps` becomes `maps-001`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import msgspec

from vitrine.identify.identifier import is_identifier
from vitrine.identify.owners import has_other_owner
from vitrine.identify.redirects.bulk import BATCH
from vitrine.ports import IdentifierTable
from vitrine.records import Live, Record, Removed, readable
from vitrine.slices import split_batches
from vitrine.sources.mapping.mapping_file import BUCKET
from vitrine.sources.mapping.to_objects import MappedObject, RowNote
from vitrine.store.layout import collection_folder


@dataclass(frozen=True, kw_only=True)
class OwnedNames:
    """The identifiers that images of one collection's table have."""

    identifiers: IdentifierTable
    collection: str
    has_masters: bool
    """True if its images have files, so that a name whose file is missing means no other image."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Names that differ from the table's, by the table's."""
    awaited: set[str] = field(default_factory=set)
    """Objects that have neither a file in the folder nor a published image, and no page before."""

    def choose(self, mapped: Iterable[MappedObject | RowNote]) -> Iterator[MappedObject | RowNote]:
        """Yield the same with the names that images have, chosen by what is published now.

        Raises TransientError.
        """
        for batch in split_batches(mapped, BATCH):
            objects = [one for one in batch if isinstance(one, MappedObject)]
            self._choose_names(objects)
            yield from (self.rename(one) if isinstance(one, MappedObject) else one for one in batch)

    def rename(self, one: MappedObject) -> MappedObject:
        """Return an object with the names that were chosen for its images."""
        names = {canvas.image for canvas in one.item.canvases} | {one.item.thumbnail}
        if self.renamed.keys().isdisjoint(names):
            return one
        item = msgspec.structs.replace(
            one.item,
            thumbnail=self._new_name(one.item.thumbnail),
            canvases=tuple(
                msgspec.structs.replace(canvas, image=self._new_name(canvas.image))
                for canvas in one.item.canvases
            ),
        )
        files = {self._new_name(name): file for name, file in one.files.items()}
        return replace(one, item=item, files=files)

    def awaits(self, one: MappedObject) -> bool:
        """Return whether an object is not digitised yet."""
        return one.item.identifier in self.awaited

    def _new_name(self, name: str) -> str:
        return self.renamed.get(name, name)

    def _choose_names(self, objects: list[MappedObject]) -> None:
        files = {name: file for one in objects for name, file in one.files.items()}
        shown = {canvas.image: "" for one in objects for canvas in one.item.canvases}
        named = {name: file for name, file in (shown | files).items() if is_identifier(name)}
        own = {name: f"{self.collection}-{name}" for name in named}
        own = {name: other for name, other in own.items() if is_identifier(other)}
        names = {*named, *own.values()}
        records = readable(self.identifiers.get_many(names, consistent=True))
        for name, other in own.items():
            if self._is_own(records.get(name)):
                continue
            if self._is_own(records.get(other)) or self._is_taken(records.get(name), named[name]):
                self.renamed[name] = other
        if self.has_masters:
            # A record without an image only says who may see one that comes.
            images = {name for name, one in records.items() if not isinstance(one, Removed)}
            known = {*files, *images, *(name for name, other in own.items() if other in images)}
            self.awaited.update(
                one.item.identifier
                for one in objects
                if not one.item.page_before_images
                and all(canvas.image and canvas.image not in known for canvas in one.item.canvases)
            )

    def _is_own(self, record: Record | None) -> bool:
        return record is not None and record.owner == self.collection

    def _is_taken(self, record: Record | None, file: str) -> bool:
        """Return True if the identifier of an image with this file is another image's.

        What was withdrawn or redirected, and belongs to nobody, is not: the ingest says so.
        """
        if record is None:
            return False
        if has_other_owner(record, self.collection):
            return bool(file) or self.has_masters
        if not (file and isinstance(record, Live)):
            return False
        folder, key = collection_folder(self.collection), record.master_key
        is_master = file.startswith(BUCKET) and file.removeprefix(BUCKET).partition("/")[2] == key
        return not (is_master or key.startswith(folder))
