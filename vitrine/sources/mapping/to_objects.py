"""Rows become objects; what cannot be used of them is noted, and the rest goes on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from msgspec import structs

from vitrine.catalogue.cleaning import clean_item
from vitrine.catalogue.rules import find_faults
from vitrine.errors import IdentifierRefused
from vitrine.identify.identifier import parse_identifier
from vitrine.iiif.presentation.model import Canvas, Link, Place, PublishedObject, Statement, Texts
from vitrine.iiif.presentation.rights import rights_uri
from vitrine.sources.mapping.access_rule import access_rule
from vitrine.sources.mapping.mapped_text import (
    in_each,
    map_texts,
    map_values,
    meaningful,
    read_number,
    tidy,
)
from vitrine.sources.mapping.mapping_file import MappingFile, MappingUnusable
from vitrine.sources.mapping.masters_folder import MasterFiles, image_name
from vitrine.sources.mapping.moments import first_moment
from vitrine.sources.mapping.object_rows import ObjectRows
from vitrine.sources.mapping.places import find_place
from vitrine.sources.mapping.rows import NumberedRow
from vitrine.sources.mapping.table import open_table
from vitrine.sources.mapping.template import Row
from vitrine.sources.mapping.text_files import PageFiles, pair_files
from vitrine.sources.mapping.text_rules import LANGUAGE, PAGE_FILES, TextRule
from vitrine.store.omissions import FAULTS, describe_fault

_RIGHTS: Texts = {"en": ("Rights",)}
"""Label of rights that have no URI."""


@dataclass(frozen=True)
class RowNote:
    """What is the matter with a row."""

    row: int
    rule: str
    """The rule of the mapping that it concerns."""
    sentence: str
    is_fault: bool
    """The object is not published; otherwise it is, without this."""
    file: str = ""
    """In which the row is, if the table is a folder."""


@dataclass
class MappedObject:
    """An object, and where it is from."""

    row: int
    item: PublishedObject
    files: dict[str, str] = field(default_factory=dict)
    """Places of its images that were found among the masters, by identifier: a path, or
    s3://bucket/key."""
    file: str = ""
    """Name of its manifest's file, if it is from one."""
    texts: tuple[str, ...] = ()
    """Path of the file with the text of each canvas, empty for none; a file of several has as many
    pages. Nothing if no canvas has one."""
    annotations: tuple[str, ...] = ()
    """Path of the file with the annotations of each canvas that are not its text, likewise."""
    access: str = ""
    """Rule of access of its images; empty: its row says none, so that its collection's holds."""


class Mapper:
    """Reads a table by the rules of a mapping."""

    nesting = None
    """Its objects are one list."""

    def __init__(self, mapping: MappingFile, masters: MasterFiles) -> None:
        """Raises MappingUnusable and OSError."""
        self._mapping = mapping
        if mapping.source and not mapping.table.is_dir():
            raise MappingUnusable(
                f"there is no folder {mapping.table} yet: fetch its records with `vitrine "
                "collection harvest`"
            )
        self.table = open_table(mapping.table, mapping.sheet, mapping.rows)
        self._masters = masters
        self._page_files = PageFiles(mapping)
        self._files: dict[int, str] = {}
        self._seen: set[str] = set()
        self._images: dict[str, str] = {}
        self._numbers: set[str] = set()
        """Columns of numbers that a note names already."""
        columns = self.table.columns
        if columns is not None and (missing := mapping.columns() - set(columns)):
            raise MappingUnusable(
                f"{mapping.table} has no column {', '.join(sorted(map(repr, missing)))}; it has "
                f"{', '.join(filter(None, columns))}"
            )

    def objects(self) -> Iterator[MappedObject | RowNote]:
        """Yield the objects in the order of the table, and notes about its rows."""
        for found in self._objects():
            file = self._files.get(found.row, "")
            yield replace(found, file=file) if file and isinstance(found, RowNote) else found

    def _objects(self) -> Iterator[MappedObject | RowNote]:
        pages: ObjectRows | None = None
        yield from (RowNote(1, "the table", one, is_fault=False) for one in self.table.notes)
        for numbered in self.table.rows(self._mapping.columns()):
            if numbered.file:
                self._files[numbered.number] = numbered.file
            if numbered.fault:
                yield RowNote(numbered.number, "the row", numbered.fault, is_fault=True)
                continue
            yield from self._say_cells(numbered)
            row = meaningful(numbered.values, self._mapping.empty)
            parent = self._parent(row)
            if pages and parent == pages.identifier:
                yield from self._add_page(pages, numbered.number, row)
                continue
            if pages:
                yield from self._finish(pages)
            pages = None
            found = self._begin(numbered, row, parent)
            if isinstance(found, RowNote):
                yield found
                continue
            pages = found
            if parent:
                yield from self._add_page(pages, numbered.number, row)
            else:
                yield from self._add_images(pages, row)
        if pages:
            yield from self._finish(pages)

    def _say_cells(self, numbered: NumberedRow) -> Iterator[RowNote]:
        """Yield what a spreadsheet shows in place of what somebody entered."""
        for name in self._mapping.columns() & set(numbered.errors):
            sentence = f"the cell {name!r} shows an error in place of a value: it counts as empty"
            yield RowNote(numbered.number, "the row", sentence, is_fault=False)
        for name in (self._mapping.naming_columns() & set(numbered.numbers)) - self._numbers:
            self._numbers.add(name)
            sentence = (
                f"the column {name!r} has numbers, which have lost zeros in front and digits after "
                "the fifteenth: if it should not, format it as text and enter the values again"
            )
            yield RowNote(numbered.number, "the row", sentence, is_fault=False)

    def _parent(self, row: Row) -> str:
        if self._mapping.page is None:
            return ""
        return next(iter(self._mapping.page.of.expand(row)), "").strip()

    def _begin(self, numbered: NumberedRow, row: Row, parent: str) -> "ObjectRows | RowNote":
        names = [tidy(text) for text in self._mapping.object_identifier.expand(row)]
        number, place = numbered.number, "object.identifier"
        if not names:
            return RowNote(number, place, "the row has no identifier", is_fault=True)
        try:
            identifier = parse_identifier(names[0])
        except IdentifierRefused as error:
            return RowNote(number, place, str(error), is_fault=True)
        if parent and parent != identifier:
            sentence = f"its object {parent!r} is not in the rows right above it"
            return RowNote(number, "page.of", sentence, is_fault=True)
        if identifier in self._seen:
            return RowNote(number, place, f"{identifier!r} stands in a row above", is_fault=True)
        self._seen.add(identifier)
        return ObjectRows(number, identifier, row, numbered.structure)

    def _add_images(self, pages: ObjectRows, row: Row) -> Iterator[RowNote]:
        texts = self._mapping.texts
        rule = texts.get("image", ())
        structure = pages.structure
        if rule:
            named = map_values(rule, row)
        else:
            named = list(structure.images) if structure else [pages.identifier]
        found = [one for name in named for one in self._masters.find_each(name)]
        spoken_rule = texts.get("alt_text", ())
        spoken = map_values(spoken_rule, row)
        language = spoken_rule[0].language if spoken_rule else LANGUAGE
        widths = map_values(texts.get("width_mm", ()), row)
        texts_of, sentences = pair_files(self._mapping, row, len(found))
        yield from (RowNote(pages.row, *said, is_fault=False) for said in sentences)
        for place, (name, files) in enumerate(found):
            text = spoken[place] if place < len(spoken) else ""
            width = widths[place] if place < len(widths) else ""
            if name:
                alt_text = {language: (text,)} if text else {}
                said = structure.label(name) if structure else ""
                label = {LANGUAGE: (said,)} if said else {}
                before = len(pages.canvases)
                yield from self._add_canvas(
                    pages, pages.row, name, files, label, alt_text, width, texts_of[place]
                )
                if structure and name in structure.pages and len(pages.canvases) > before:
                    pages.on_page.setdefault(structure.pages[name], []).append(before)

    def _add_page(self, pages: ObjectRows, number: int, row: Row) -> Iterator[RowNote]:
        page = self._mapping.page
        assert page
        names = map_values(page.image, row)
        label, alt_text = map_texts(page.label, row), map_texts(page.alt_text, row)
        if not any(names):
            yield RowNote(number, "page.image", "the page has no image", is_fault=False)
        width = next(iter(map_values(page.width_mm, row)), "")
        read = {rule: "".join(map_values(getattr(page, rule), row)[:1]) for rule in PAGE_FILES}
        for name, files in chain.from_iterable(map(self._masters.find_each, filter(None, names))):
            yield from self._add_canvas(pages, number, name, files, label, alt_text, width, read)

    def _add_canvas(
        self,
        pages: ObjectRows,
        number: int,
        name: str,
        files: Sequence[str],
        label: Mapping[str, tuple[str, ...]],
        alt_text: Mapping[str, tuple[str, ...]],
        width: str,
        named: Mapping[str, str],
    ) -> Iterator[RowNote]:
        identifier = tidy(image_name(files[0] if files else name, is_file=bool(files)))
        if not files:
            sentence = f"there is no image {name!r} in {self._masters.place}"
            yield RowNote(number, "image", sentence, is_fault=False)
        elif len(files) > 1:
            place = f"{self._masters.place}/"
            several = " and ".join(file.removeprefix(place) for file in files)
            yield RowNote(number, "image", f"{name!r} may be {several}", is_fault=True)
            return
        else:
            before = self._images.setdefault(identifier, files[0])
            if before != files[0]:
                sentence = f"{files[0]} and {before} would both be the image {identifier!r}"
                yield RowNote(number, "image", sentence, is_fault=True)
                return
            pages.files[identifier] = files[0]
        if not alt_text:
            sentence = f"the image {identifier!r} has no alternative text"
            yield RowNote(number, "alt_text", sentence, is_fault=False)
        spoken, measured = dict(alt_text), read_number(width)
        pages.canvases.append(
            Canvas(image=identifier, label=dict(label), alt_text=spoken, width_mm=measured)
        )
        pages.named.append(named)

    def _finish(self, pages: ObjectRows) -> Iterator["MappedObject | RowNote"]:
        try:
            yield from self._map(pages)
        except FAULTS as error:
            yield RowNote(pages.row, "the row", describe_fault(error), is_fault=True)

    def _map(self, pages: ObjectRows) -> Iterator["MappedObject | RowNote"]:
        if self._mapping.page_before_images and not pages.canvases:
            pages.canvases.append(Canvas(image=pages.identifier))
            pages.named.append({})
        if not pages.canvases:
            sentence = "it has no image, so it is not published"
            yield RowNote(pages.row, "image", sentence, is_fault=False)
            return
        try:
            access = access_rule(self._mapping, pages.values)
        except IdentifierRefused as error:
            yield RowNote(pages.row, "access", f"{error} {pages.say_kept()}", is_fault=True)
            return
        notes: list[RowNote] = []
        item = clean_item(self._describe(pages, notes))
        yield from notes
        faults = list(find_faults(item))
        if not faults:
            found, sentences = self._page_files.find_all(pages)
            yield from (RowNote(pages.row, *said, is_fault=False) for said in sentences)
            texts, annotations = found
            yield MappedObject(pages.row, item, pages.files, "", texts, annotations, access)
        for fault in faults:
            rule, _, sentence = fault.partition(": ")
            yield RowNote(pages.row, rule, sentence, is_fault=True)

    def _describe(self, pages: ObjectRows, notes: list[RowNote]) -> PublishedObject:
        mapping, row = self._mapping, pages.values
        metadata = [
            Statement(label=in_each(one.label), value=value, facet=one.facet)
            for one in mapping.metadata
            if (value := map_texts(one.value, row, may_be_html=True))
        ]
        required = mapping.required_statement
        stated = map_texts(required.value, row, may_be_html=True) if required else {}
        rights = self._rights(pages, notes)
        stated_rights = map_texts(mapping.texts.get("rights", ()), row, may_be_html=True)
        if stated_rights and not rights and stated_rights not in [one.value for one in metadata]:
            metadata.append(Statement(label=_RIGHTS, value=stated_rights))
        label = map_texts(mapping.texts.get("label", ()), row)
        if not label:
            notes.append(RowNote(pages.row, "label", "it has no title", is_fault=False))
        return PublishedObject(
            identifier=pages.identifier,
            label=label or {"none": (pages.identifier,)},
            rights=rights,
            summary=map_texts(mapping.texts.get("summary", ()), row, may_be_html=True),
            metadata=tuple(metadata),
            required_statement=(
                Statement(label=in_each(required.label), value=stated)
                if required and stated
                else None
            ),
            nav_date=self._nav_date(pages, notes),
            nav_place=self._nav_place(pages, notes),
            homepage=tuple(self._homepage(pages)),
            part_of=(mapping.identifier,),
            canvases=tuple(pages.canvases),
            ranges=pages.ranges(
                next((one.language for one in mapping.texts.get("label", ())), LANGUAGE)
            ),
            page_before_images=mapping.page_before_images,
            ocr=next(iter(self._values("ocr", row)), ""),
        )

    def _rights(self, pages: ObjectRows, notes: list[RowNote]) -> str:
        texts = self._values("rights", pages.values)
        found = next(filter(None, map(rights_uri, texts)), "")
        if texts and not found:
            sentence = (
                f"{texts[0]!r} is no name or URI of Creative Commons or RightsStatements.org: it "
                "becomes a line of metadata"
            )
            notes.append(RowNote(pages.row, "rights", sentence, is_fault=False))
        elif not found:
            notes.append(RowNote(pages.row, "rights", "it names no rights", is_fault=False))
        return found

    def _nav_date(self, pages: ObjectRows, notes: list[RowNote]) -> str:
        for text in self._values("nav_date", pages.values):
            if found := first_moment(text):
                return found
            sentence = (
                f"{text!r} is not a date like 1642, 1642-05-31 or 1642-05-31T12:00:00Z: it is left "
                "out"
            )
            notes.append(RowNote(pages.row, "nav_date", sentence, is_fault=False))
        return ""

    def _nav_place(self, pages: ObjectRows, notes: list[RowNote]) -> Place | None:
        said = [
            next(iter(self._values(name, pages.values)), "") for name in ("latitude", "longitude")
        ]
        if not any(said):
            return None
        if found := find_place(*said):
            name = map_texts(self._mapping.texts.get("place", ()), pages.values)
            return structs.replace(found, label=name)
        sentence = (
            f"{said[0]!r}, {said[1]!r} is no place such as 52.01, 4.36 (degrees, with a point): it "
            "is left out"
        )
        notes.append(RowNote(pages.row, "latitude", sentence, is_fault=False))
        return None

    def _homepage(self, pages: ObjectRows) -> Iterator[Link]:
        rule: TextRule = self._mapping.texts.get("homepage", ())
        for language, addresses in map_texts(rule, pages.values).items():
            label = map_texts(self._mapping.texts.get("label", ()), pages.values)
            for address in addresses:
                words = label or {language: (address,)}
                yield Link(address=address, label=words, format="text/html")

    def _values(self, name: str, row: Row) -> list[str]:
        texts = map_texts(self._mapping.texts.get(name, ()), row)
        return [text for several in texts.values() for text in several]
