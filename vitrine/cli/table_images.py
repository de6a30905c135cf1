"""A first reading of a table: its images, and who may see them."""

import csv
from dataclasses import dataclass
from pathlib import Path

from vitrine.ingest.publish.table_rules import CLOSED, TableRules
from vitrine.present.mapping.mapping_file import MappingFile
from vitrine.present.mapping.to_objects import MappedObject, Note
from vitrine.present.objects.inherited_rules import InheritedRules
from vitrine.present.objects.ruled_collections import Look
from vitrine.present.updates.open_mapper import AnyMapper


@dataclass(frozen=True, kw_only=True)
class ReadTable:
    """What a first reading of a table found."""

    manifest: Path | None
    """Of the images' migration, None without images."""
    objects: int
    access: TableRules


def is_kept_closed(mapping: MappingFile, rules: InheritedRules) -> bool:
    """Return True if the table has a rule that would open its collection, which is closed.

    Somebody may have closed it for a reason that the table does not know. Raises TransientError.
    """
    _, rule = Look(rules.collections).ruled(mapping.identifier)
    return rule == CLOSED and mapping.access not in ("", CLOSED)


class _Inherited:
    """The rules that a table's images have from collections: its own, those in it, and others."""

    def __init__(self, rules: InheritedRules, mapping: MappingFile, mapper: AnyMapper) -> None:
        self._look = Look(rules.collections)
        self._outer = mapper.nesting.find_outer() if mapper.nesting else {}
        present, rule = self._look.ruled(mapping.identifier)
        self._table = {present: mapping.access or rule} if mapping.access or rule else {}

    def read(self, one: MappedObject) -> dict[str, str]:
        """Return those of an object's images, by collection. Raises TransientError."""
        # A new object is yet to be listed by those in the table's own.
        named = {*one.item.part_of, *self._outer.get(one.file, ())}
        return self._look.holders(one.item.identifier, named).rules | self._table


def write_images(
    rules: Path,
    mapping: MappingFile,
    mapper: AnyMapper,
    notes: list[Note],
    collections: InheritedRules | None = None,
) -> ReadTable:
    """Write the manifest of the images' migration, and add to `notes`.

    Without `collections`, nothing is asked of the service. Raises TransientError.
    """
    read = _Inherited(collections, mapping, mapper).read if collections else lambda one: {}
    manifest, objects, images = rules.with_suffix(".images.csv"), 0, 0
    access = TableRules(decides=bool(mapping.access))
    with manifest.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["source", "identifier"])
        written: set[str] = set()
        for one in mapper.objects():
            if isinstance(one, Note):
                notes.append(one)
                continue
            objects += 1
            for name in one.files.keys() - written:
                writer.writerow([one.files[name], name])
                images += 1
            written |= one.files.keys()
            shown = {canvas.image for canvas in one.item.canvases} - {""}
            inherited = read(one)
            for name in shown if one.access or inherited else ():
                access.add(name, one.access, inherited, mapping.access)
    return ReadTable(manifest=manifest if images else None, objects=objects, access=access)
