"""A first reading of a table: its images, and who may see them."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vitrine.access.rules import CLOSED, read_rule
from vitrine.catalogue.announced_uses import AnnouncedUses
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import ObjectRecord, follow_renames, rule_of
from vitrine.ingest.publish.table_rules import TableRules
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.to_objects import MappedObject, RowNote
from vitrine.sources.updates.open_mapper import AnyMapper
from vitrine.sources.updates.owned_names import OwnedNames
from vitrine.store.revisions import Revisions

NOT_DIGITISED = "none of its images is there yet: it is published once one is in the folder"


@dataclass(frozen=True, kw_only=True)
class ReadTable:
    """What a first reading of a table found."""

    manifest: Path | None
    """Manifest of the images' migration, None without images."""
    objects: int
    access: TableRules
    is_kept_closed: bool
    """True if the table has a rule that would open its collection, which is closed."""
    has_rule_of_now: Callable[[], bool]
    """Returns False if the rule of the collection was changed since it was read."""


def _drop_notes_of_images(notes: list[RowNote], one: MappedObject) -> None:
    """Take out what the last notes say of the images of an object, which are all to come."""
    others: list[RowNote] = []
    while notes and notes[-1].row >= one.row:
        note = notes.pop()
        if note.is_fault or note.rule not in ("image", "alt_text"):
            others.append(note)
    notes += reversed(others)


class _Restriction:
    """The rule that a table's images have from its collection."""

    def __init__(self, journal: Revisions[ObjectRecord], mapping: MappingFile) -> None:
        self._journal, self._name = journal, mapping.identifier
        self._name_of_now, self._rule = self._read()
        # Somebody may have closed it for a reason that the table does not know.
        opens = bool(mapping.access) and read_rule(mapping.access) != CLOSED
        self.is_kept_closed = opens and read_rule(self._rule) == CLOSED
        self.decides = bool(mapping.access) and not self.is_kept_closed
        self.default = mapping.access if self.decides else self._rule

    def is_same(self) -> bool:
        """Return True if it has the same rule now, and identifier. Raises TransientError."""
        return self._read() == (self._name_of_now, self._rule)

    def _read(self) -> tuple[str, str]:
        name, record = follow_renames(self._journal, self._name)
        return name, rule_of(record)


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

    `names` chooses those of its images. Objects without any are not counted, but images that come
    later have the rules that they say. Without `publisher`, no rules are read; without it or
    `announces`, no image is noted as an object's. Raises TransientError.
    """
    restriction = _Restriction(publisher.journal, mapping) if publisher else None
    outer = mapper.nesting.find_outer() if mapper.nesting else {}
    uses = AnnouncedUses(publisher) if publisher and announces else None
    manifest, objects, images = rules.with_suffix(".images.csv"), 0, 0
    access = TableRules(
        owner=mapping.identifier,
        default=restriction.default if restriction else mapping.access,
        decides=restriction.decides if restriction else bool(mapping.access),
    )
    with manifest.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["source", "identifier"])
        written: set[str] = set()
        for one in names.choose(mapper.objects()):
            if isinstance(one, RowNote):
                notes.append(one)
                continue
            if names.awaits(one):
                _drop_notes_of_images(notes, one)
                notes.append(
                    RowNote(one.row, "image", NOT_DIGITISED, is_fault=False, file=one.file)
                )
            else:
                objects += 1
            for name in one.files.keys() - written:
                writer.writerow([one.files[name], name])
                images += 1
            written |= one.files.keys()
            shown = {canvas.image for canvas in one.item.canvases} - {""}
            if uses:
                # A new object is yet to be listed by those in the table's own.
                named = {mapping.identifier, *one.item.part_of, *outer.get(one.file, ())}
                uses.add(one.item.identifier, shown, named)
            for name in shown:
                access.add(name, one.access)
    if uses:
        uses.finish()
    return ReadTable(
        manifest=manifest if images else None,
        objects=objects,
        access=access,
        is_kept_closed=restriction is not None and restriction.is_kept_closed,
        has_rule_of_now=restriction.is_same if restriction else lambda: True,
    )
