"""A first mapping for a table, by the names of its columns and by what stands in them."""

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from vitrine.identify.identifier import RESERVED
from vitrine.iiif.presentation.rights import rights_uri
from vitrine.sources.mapping.documents import RecordDocuments
from vitrine.sources.mapping.masters_folder import IMAGES
from vitrine.sources.mapping.table import open_table

LOOKED_AT = 500
"""Rows whose cells are looked at."""
MAX_METADATA = 16
_NAMES: dict[str, str] = {
    "identifier": """
        objectid objectnumber accessionnumber accessionno inventorynumber inventorynr inventarnummer
        inventaire inventario pid recordid identifier callnumber shelfmark signatur cote uuid id
        """,
    "image": """
        filename imagefilename imagefile filenames images image masterfile file dateiname datei
        bestandsnaam bestand fichier bild objectlocation scan mediafile media
        """,
    "label": """
        title objecttitle maintitle titel titre titolo titulo label displayname bezeichnung caption
        objectname name
        """,
    "summary": """
        description abstract summary beschreibung omschrijving descripcion descrizione descricao
        longdescription contentdescription notes
        """,
    "alt_text": "imagealttext alttext alt alternativetext alternativtext",
    "rights": """
        rightsstatement rightsuri standardizedrights licenceuri licenseurl licence license lizenz
        rights rechte rechten droits copyright
        """,
    "nav_date": """
        navdate datestart creationdateearliest dateearliest earliestdate beginyear yearstart
        startyear year jahr jaar annee date datum
        """,
    "homepage": "homepage objecturl referenceurl recordurl permalink url link uri",
    "credit": "creditline credit attribution requiredstatement courtesy",
    "page": "parentid parent partof fieldmemberof memberof objectofpage",
}
"""Names of columns for each rule, likelier ones first: letters and digits alone."""
_LEFT_OUT = re.compile(r"modified|created|updated|timestamp|checksum|md5|latitude|longitude|thumb")


def propose(path: Path, masters: str, sheet: str = "") -> str:
    """Return the text of a `collection.toml` for a table. Raises MappingUnusable, OSError."""
    table = open_table(path, sheet)
    if isinstance(table, RecordDocuments):
        columns, cells = _document_columns(table)
    else:
        columns = [name for name in table.columns if name]
        rows = list(islice(table.rows(set()), LOOKED_AT))
        cells = {
            name: [text for row in rows for text in row.values.get(name, ())] for name in columns
        }
    # A template could not name a column with braces.
    filled = [name for name in columns if cells[name] and not {"{", "}"} & set(name)]
    return _write(path, masters, sheet, filled, _choose(filled, cells), cells)


def _document_columns(table: RecordDocuments) -> tuple[list[str], dict[str, list[str]]]:
    """Return simple paths into records, and the texts that they find."""
    names = table.simple_paths(LOOKED_AT)
    rows = islice(table.rows(set(names)), LOOKED_AT)
    cells: dict[str, list[str]] = {name: [] for name in names}
    for row in rows:
        for name in names:
            cells[name] += row.values.get(name, ())
    return names, cells


def _choose(columns: Sequence[str], cells: dict[str, list[str]]) -> dict[str, str]:
    """Return the column of each rule that has one; no column has two."""
    chosen: dict[str, str] = {}
    for rule, names in _NAMES.items():
        free = [name for name in columns if name not in chosen.values()]
        fitting = [name for name in free if _fits(rule, cells[name], max(map(len, cells.values())))]
        found = _by_name(names.split(), fitting)
        if not found and rule == "image" and fitting:
            found = fitting[0]
        if found:
            chosen[rule] = found
    if parents := set(cells.get(chosen.get("page", ""), ())):
        # Pages name their object by its identifier, whatever the column of that is called.
        named = [name for name in columns if name != chosen["page"] and parents <= {*cells[name]}]
        chosen["identifier"] = named[0] if named else chosen.get("identifier", columns[0])
    return chosen


def _by_name(names: Sequence[str], columns: Sequence[str]) -> str:
    """Return the column that is called like the first of these names that any is.

    If none is, the first that ends or begins so: `CollectionName`, `field_description`.
    """
    plain = {_plain(column): column for column in reversed(columns)}
    for name in names:
        if name in plain:
            return plain[name]
    for name in names:
        for column in columns:
            words = _words(column)
            if name in (words[-1], words[0]) or (len(name) > 3 and _plain(column).endswith(name)):
                return column
    return ""


def _words(column: str) -> list[str]:
    """Return the words of a column's name, in lower case: of `yearOfBirth` too."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column)
    return [_plain(word) for word in re.split(r"[^A-Za-z0-9]+", apart) if word] or [""]


def _fits(rule: str, texts: Sequence[str], rows: int) -> bool:
    """Return whether the cells of a column can be what the rule needs."""
    match rule:
        case "identifier":
            return len(set(texts)) >= 0.95 * rows
        case "image":
            return _names_images(texts)
        case "label":
            return len(set(texts)) >= 0.1 * rows
        case "rights":
            return any(map(rights_uri, texts))
        case "nav_date":
            return sum(bool(re.match(r"\d{4}\b", text)) for text in texts) >= 0.5 * len(texts)
        case "homepage":
            return all(text.startswith(("http://", "https://")) for text in texts)
        case _:
            return True


def _names_images(texts: Sequence[str]) -> bool:
    first = (re.split(r"[;|]", text)[0].strip() for text in texts)
    named = sum(Path(name).suffix.lower() in IMAGES for name in first)
    return named >= 0.5 * len(texts) > 0


def _split(texts: Iterable[str]) -> str:
    """Return what many cells have between several values; "" if nothing."""
    several = list(texts)
    for sign in ("|", ";"):
        if sum(sign in text for text in several) >= 0.1 * len(several):
            return sign
    return ""


def _plain(name: str) -> str:
    """Return the letters and digits of a column's name, in lower case and without accents."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]", "", letters)


def _write(
    path: Path,
    masters: str,
    sheet: str,
    columns: Sequence[str],
    chosen: dict[str, str],
    cells: dict[str, list[str]],
) -> str:
    lines = _write_source(path, masters, sheet)
    lines += ["", "[object]"]
    first = columns[0] if columns else "id"
    lines.append(f"identifier = {_column(chosen.get('identifier', first))}")
    lines.append(f"label = {_column(chosen.get('label', first))}")
    for rule in ("summary", "image", "alt_text", "rights", "nav_date", "homepage"):
        if column := chosen.get(rule):
            lines.append(
                f"{rule} = {_rule(column, _split(cells[column]) if rule == 'image' else '')}"
            )
    if "rights" not in chosen:
        lines.append('# rights = "http://rightsstatements.org/vocab/UND/1.0/"')
    if credit := chosen.get("credit"):
        lines.append(f'required_statement = {{label = "Credit", value = {_column(credit)}}}')
    if page := chosen.get("page"):
        lines += [
            "",
            "[page]  # rows that belong to the object above them",
            f"of = {_column(page)}",
        ]
        lines += [f"image = {_column(chosen['image'])}"] if "image" in chosen else []
        lines += [f"label = {_column(chosen['label'])}"] if "label" in chosen else []
    lines += ["", "[metadata]"]
    used = {chosen.get(rule) for rule in _NAMES if rule != "nav_date"}
    others = [name for name in columns if name not in used and not _LEFT_OUT.search(_plain(name))]
    for column in others[:MAX_METADATA]:
        label = column.replace("_", " ").strip().capitalize()
        lines.append(f"{_quote(label)} = {_rule(column, _split(cells[column]))}")
    return "\n".join(lines) + "\n"


def _write_source(path: Path, masters: str, sheet: str) -> list[str]:
    name = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "collection"
    name = f"{name}-1" if name in RESERVED else name
    return [
        "# Which columns become what; docs/reference/collection-file.md has all rules.",
        "[collection]",
        f"identifier = {_quote(name)}",
        f"label = {_quote(path.stem)}",
        'language = "en"  # of the texts in the table',
        "",
        "[source]",
        f"table = {_quote(path.name)}",
        *([f"sheet = {_quote(sheet)}"] if sheet else []),
        f"masters = {_quote(masters)}  # the folder with the images",
        'empty = ["n/a", "-", "unknown"]  # cells that mean nothing',
    ]


def _rule(column: str, split: str) -> str:
    if split:
        return f"{{value = {_column(column)}, split = {_quote(split)}}}"
    return _column(column)


def _column(name: str) -> str:
    return _quote(f"{{{name}}}")


def _quote(text: str) -> str:
    """Return a TOML string; JSON's escapes are TOML's."""
    return json.dumps(text, ensure_ascii=False)
