"""Harvested manifests become objects; what cannot be used of them is noted."""

from collections.abc import Iterator

import msgspec

from vitrine.catalogue.cleaning import clean_item
from vitrine.catalogue.rules import find_faults
from vitrine.sources.harvest.kept_folder import read_state, record_name
from vitrine.sources.iiif.full_image import image_file_name
from vitrine.sources.iiif.manifest_folder import MANIFESTS, read_kept
from vitrine.sources.iiif.nested_collections import Nesting
from vitrine.sources.iiif.read_manifest import ManifestUnusable, ReadManifest
from vitrine.sources.mapping.mapping_file import MappingFile, MappingUnusable
from vitrine.sources.mapping.sources import IiifSource
from vitrine.sources.mapping.to_objects import MappedObject, RowNote
from vitrine.store.omissions import FAULTS, describe_fault


class ManifestMapper:
    """Reads the folder of a `ManifestFolder`."""

    table = None
    """It is no table whose rows could be handed back."""

    def __init__(self, mapping: MappingFile) -> None:
        """Raises MappingUnusable."""
        self._mapping = mapping
        self._addresses: dict[str, str] = {}
        self._seen: set[str] = set()
        source = mapping.source
        self._refers = isinstance(source, IiifSource) and not source.fetches_images
        self.nesting = Nesting(mapping.table, mapping.identifier)
        self._names: list[str] = read_state(mapping.table).get(MANIFESTS, [])
        if not self._names:
            raise MappingUnusable(
                f"there are no manifests in {mapping.table} yet: fetch them with `vitrine "
                "collection harvest`"
            )

    def objects(self) -> Iterator[MappedObject | RowNote]:
        """Yield the objects in the order of the collection, and notes about its manifests."""
        for number, name in enumerate(self._names, start=1):
            try:
                yield from self._read(number, name)
            except FAULTS as error:
                sentence, file = describe_fault(error), record_name(name)
                yield RowNote(number, "the manifest", sentence, is_fault=True, file=file)

    def _read(self, number: int, name: str) -> Iterator[MappedObject | RowNote]:
        def note(rule: str, sentence: str, *, is_fault: bool = False) -> RowNote:
            return RowNote(number, rule, sentence, is_fault=is_fault, file=record_name(name))

        try:
            read = read_kept(self._mapping.table / name, refers=self._refers)
        except ManifestUnusable as error:
            yield note("the manifest", str(error), is_fault=True)
            return
        for rule, sentence in read.notes:
            yield note(rule, sentence)
        if read.item.identifier in self._seen:
            sentence = f"{read.item.identifier!r} is a manifest above as well"
            yield note("the manifest", sentence, is_fault=True)
            return
        self._seen.add(read.item.identifier)
        if not self._refers and (sentence := self._conflict(read)):
            yield note("image", sentence, is_fault=True)
            return
        files = self._files(read)
        if not self._refers and (missing := len(read.images) - len(files)):
            yield note("image", f"{missing} of its {len(read.images)} images were not fetched yet")
        if silent := sum(not canvas.alt_text for canvas in read.item.canvases):
            yield note("alt_text", f"{silent} of its pages have no alternative text")
        item = clean_item(msgspec.structs.replace(read.item, part_of=(self._mapping.identifier,)))
        faults = list(find_faults(item))
        for fault in faults:
            rule, _, sentence = fault.partition(": ")
            yield note(rule, sentence, is_fault=True)
        if not faults:
            yield MappedObject(number, item, files, name)

    def _conflict(self, read: ReadManifest) -> str:
        """Return why an image cannot have its identifier, "" if all can."""
        for identifier, image in read.images.items():
            other = self._addresses.setdefault(identifier, image.address)
            if other != image.address:
                return f"{image.address} and {other} would both be the image {identifier!r}"
        return ""

    def _files(self, read: ReadManifest) -> dict[str, str]:
        named = {
            identifier: self._mapping.masters / image_file_name(identifier, image)
            for identifier, image in read.images.items()
        }
        return {
            identifier: str(path.absolute()) for identifier, path in named.items() if path.exists()
        }
