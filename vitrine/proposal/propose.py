"""The text of a first `collection.toml`."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from vitrine.identify.identifier import RESERVED
from vitrine.proposal.columns import EMPTY, Column, read_columns
from vitrine.proposal.display import interest_of, is_facet, is_for_people
from vitrine.proposal.image_columns import ImageColumn, match_files
from vitrine.proposal.roles import (
    Roles,
    choose_named_image,
    choose_roles,
    names_images,
)
from vitrine.sources.mapping.masters_folder import MasterFiles
from vitrine.sources.mapping.table import open_table

MAX_METADATA = 16
"""Lines of metadata that are proposed; the columns after them are comments."""
ALSO_METADATA = ("nav_date", "place")
"""Rules whose columns are for people as well."""
SIMPLE = ("alt_text", "rights", "nav_date", "latitude", "longitude", "place", "homepage")
"""Rules of an object that are written as they are, in this order."""


def propose(path: Path, masters: MasterFiles, folder: str, sheet: str = "", label: str = "") -> str:
    """Return the text of a `collection.toml` for a table.

    `folder` is where the masters are, as the file names it; `label` the title of the collection, if
    somebody said it. Raises MappingUnusable, OSError.
    """
    columns = read_columns(open_table(path, sheet))
    rows = max((len(one.cells) for one in columns), default=0)
    # A template could not name a column with braces.
    able = [one for one in columns if not {"{", "}"} & set(one.name)]
    filled = [one for one in able if one.texts]
    image = _choose_image(filled, masters, rows)
    pictures = image.column if image.column and names_images(image.column) else None
    roles = choose_roles([one for one in filled if one is not pictures], rows)
    if "identifier" not in roles and pictures and pictures.distinct == rows:
        roles["identifier"] = pictures
    name = _identifier_of(path)
    source = _write_source(path, folder, sheet, name, label or title_of(path, sheet))
    named = set(roles["identifier"].texts) if "identifier" in roles else set()
    before = f"{name}-" if named & RESERVED else ""
    written = _Proposal(columns, rows, image, roles, before)
    return "\n".join([*source, *written.object(), *written.page(), *written.metadata()]) + "\n"


def title_of(path: Path, sheet: str = "") -> str:
    """Return the title that the name of a table suggests: `Plates 2024` of `plates_2024.csv`."""
    words = re.sub(r"[\s_]+|(?<=[a-z])-|-(?=[a-z])", " ", sheet or path.stem).strip()
    return words[:1].upper() + words[1:] or path.stem


@dataclass(frozen=True)
class _Image:
    """The column of the images, with a comment about it."""

    column: Column | None
    rule: str = ""
    comment: str = ""


def _choose_image(columns: Sequence[Column], masters: MasterFiles, rows: int) -> _Image:
    found = match_files(columns, masters)
    if found:
        best = _prefer_named(found)
        said = (
            f"{best.rows:,} of {rows:,} rows have a file, of {len(masters.stems):,} in the folder"
        )
        value = f"{best.before}{{{best.column.name}}}{best.after}"
        return _Image(best.column, _rule(value, best.separator), said)
    if column := choose_named_image(columns):
        said = "no row has its file in the folder yet"
        return _Image(column, _rule(f"{{{column.name}}}", column.separator), said)
    return _Image(None)


def _prefer_named(found: Sequence[ImageColumn]) -> ImageColumn:
    """Return the column that names most files; of those that name as many, one of file names."""
    as_many = [one for one in found if (one.files, one.rows) == (found[0].files, found[0].rows)]
    named = choose_named_image([one.column for one in as_many])
    return next((one for one in as_many if one.column is named), as_many[0])


@dataclass(frozen=True)
class _Proposal:
    """The sections about objects."""

    columns: Sequence[Column]
    rows: int
    image: _Image
    roles: Roles
    before: str = ""
    """Begins all identifiers, since some of them are reserved alone."""

    def object(self) -> Iterator[str]:
        """Yield the lines of [object]."""
        yield from ("", "[object]")
        name = self.columns[0].name if self.columns else "id"
        name = self.roles["identifier"].name if "identifier" in self.roles else name
        yield f"identifier = {_quote(f'{self.before}{{{name}}}')}"
        yield f"label = {self._template('label') or _quote(f'{{{name}}}')}"
        if summary := self._template("summary"):
            yield f"summary = {summary}"
        if self.image.rule:
            yield f"image = {self.image.rule}  # {self.image.comment}"
        for rule in SIMPLE:
            if found := self._template(rule):
                yield f"{rule} = {found}"
        if "rights" not in self.roles:
            yield '# rights = "http://rightsstatements.org/vocab/UND/1.0/"'
        if credit := self._template("credit"):
            yield f'required_statement = {{label = "Credit", value = {credit}}}'

    def page(self) -> Iterator[str]:
        """Yield the lines of [page], if rows are pages."""
        if page := self.roles.get("page"):
            yield from ("", "[page]  # rows that belong to the object above them")
            yield f"of = {_quote(f'{self.before}{{{page.name}}}')}"
            if self.image.rule:
                yield f"image = {self.image.rule}"
            if label := self._template("label"):
                yield f"label = {label}"

    def metadata(self) -> Iterator[str]:
        """Yield the lines of [metadata]: the columns that are left, some of them as comments."""
        yield from ("", "[metadata]")
        used = {one.name for rule, one in self.roles.items() if rule not in ALSO_METADATA}
        if self.image.column:
            used.add(self.image.column.name)
        free = [one for one in self.columns if one.name not in used]
        ranked = sorted(filter(is_for_people, free), key=interest_of, reverse=True)
        shown, hidden = ranked[:MAX_METADATA], list[str]()
        alike, taken = Counter(one.label for one in free), set[str]()
        for column in free:
            label = column.label if alike[column.label] == 1 else column.long_label
            label = next(one for one in _numbered(label) if one not in taken)
            taken.add(label)
            line = f"{_quote(label)} = {self._metadata_rule(column)}"
            if column in shown:
                yield line
            else:
                hidden.append(f"# {line}")
        if hidden:
            yield "# Columns that are not shown: take the # away from those that should be."
            yield from hidden

    def _template(self, rule: str) -> str:
        return _quote(f"{{{self.roles[rule].name}}}") if rule in self.roles else ""

    def _metadata_rule(self, column: Column) -> str:
        return _rule(f"{{{column.name}}}", column.separator, is_facet=is_facet(column))


def _identifier_of(path: Path) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "collection"
    return f"{name}-1" if name in RESERVED else name


def _write_source(path: Path, masters: str, sheet: str, name: str, label: str) -> list[str]:
    return [
        "# Which columns become what; docs/reference/collection-file.md has all rules.",
        "[collection]",
        f"identifier = {_quote(name)}",
        f"label = {_quote(label)}",
        'language = "en"  # of the texts in the table',
        "",
        "[source]",
        f"table = {_quote(path.name)}",
        *([f"sheet = {_quote(sheet)}"] if sheet else []),
        f"masters = {_quote(masters)}  # the folder with the images",
        f"empty = {json.dumps(EMPTY)}  # cells that mean nothing",
    ]


def _numbered(label: str) -> Iterator[str]:
    yield label
    yield from (f"{label} ({number})" for number in count(2))


def _rule(value: str, separator: str, *, is_facet: bool = False) -> str:
    parts = [f"split = {_quote(separator)}"] if separator else []
    parts += ["facet = true"] if is_facet else []
    return f"{{{', '.join([f'value = {_quote(value)}', *parts])}}}" if parts else _quote(value)


def _quote(text: str) -> str:
    """Return a TOML string; JSON's escapes are TOML's."""
    return json.dumps(text, ensure_ascii=False)
