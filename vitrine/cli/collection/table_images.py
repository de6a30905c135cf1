"""A first reading of a table: its images, and who may see them."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vitrine.access.rules import CLOSED, read_rule
from vitrine.catalogue.announced_uses import AnnouncedUses
from vitrine.catalogue.inherited_rules import InheritedRules
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.ruled_collections import Look
from vitrine.ingest.publish.table_rules import TableRules
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.to_objects import MappedObject, RowNote
from vitrine.sources.updates.open_mapper import AnyMapper
from vitrine.sources.updates.owned_names import OwnedNames


@dataclass(frozen=True, kw_only=True)
class ReadTable:
    """What a first reading of a table found."""

    manifest: Path | None
    """Manifest of the images' migration, None without images."""
    objects: int
    access: TableRules
    is_kept_closed: bool
    """True if the table has a rule that would open its collection, which is closed."""
    has_rules_of_now: Callable[[], bool]
    """Returns False if a rule of a collection was changed since it was read."""


class _Inherited:
    """The rules that a table's images have from collections: its own, those in it, and others."""

    def __init__(self, rules: InheritedRules, mapping: MappingFile, mapper: AnyMapper) -> None:
        self._look, self._name = Look(rules.collections), mapping.identifier
        self._outer = mapper.nesting.find_outer() if mapper.nesting else {}
        present, rule = self._look.ruled(mapping.identifier)
        # Somebody may have closed it for a reason that the table does not know.
        opens = bool(mapping.access) and read_rule(mapping.access) != CLOSED
        self.is_kept_closed = opens and read_rule(rule) == CLOSED
        self.decides = bool(mapping.access) and not self.is_kept_closed
        self.default = mapping.access if self.decides else rule
        self._table = {present: self.default} if self.default else {}

    def has_rules_of_now(self) -> bool:
        return self._look.has_rules_of_now(self._name)

    def read(self, one: MappedObject) -> dict[str, str]:
        """Return those of an object's images, by collection. Raises TransientError."""
        # A new object is yet to be listed by those in the table's own.
        named = {*one.item.part_of, *self._outer.get(one.file, ())}
        holders = self._look.holders(one.item.identifier, named)
        return holders.rules_for(self._name) | self._table


def write_images(
    rules: Path,
    mapping: MappingFile,
    mapper: AnyMapper,
    notes: list[RowNote],
    names: OwnedNames,
    publisher: Publisher | None = None,
    *,
    announces: bool = True,
) -> ReadTable:
    """Write the manifest of the images' migration, and add to `notes`.

    `names` chooses those of its images. Without `publisher`, no rules are read; without it or
    `announces`, no image is noted as an object's. Raises TransientError.
    """
    inherited = _Inherited(publisher.rules, mapping, mapper) if publisher else None
    uses = AnnouncedUses(publisher) if publisher and announces else None
    manifest, objects, images = rules.with_suffix(".images.csv"), 0, 0
    access = TableRules(
        owner=mapping.identifier,
        default=inherited.default if inherited else mapping.access,
        decides=inherited.decides if inherited else bool(mapping.access),
    )
    with manifest.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["source", "identifier"])
        written: set[str] = set()
        for one in names.choose(mapper.objects()):
            if isinstance(one, RowNote):
                notes.append(one)
                continue
            objects += 1
            for name in one.files.keys() - written:
                writer.writerow([one.files[name], name])
                images += 1
            written |= one.files.keys()
            shown = {canvas.image for canvas in one.item.canvases} - {""}
            if uses:
                uses.add(one.item.identifier, shown)
            held = inherited.read(one) if inherited else {}
            for name in shown if one.access or held else ():
                access.add(name, one.access, held)
    if uses:
        uses.finish()
    return ReadTable(
        manifest=manifest if images else None,
        objects=objects,
        access=access,
        is_kept_closed=inherited is not None and inherited.is_kept_closed,
        has_rules_of_now=inherited.has_rules_of_now if inherited else lambda: True,
    )
