"""A first mapping for a table, by the names of its columns and by what stands in them."""

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from vitrine.present.mapping.masters_folder import IMAGES
from vitrine.present.mapping.rights import rights_uri
from vitrine.present.mapping.table import Table

LOOKED_AT = 500
"""Rows whose cells are looked at."""
MOST_METADATA = 16
_NAMES: dict[str, tuple[str, ...]] = {
    "identifier": (
        *("identifier", "objectid", "objectnumber", "accessionnumber", "accessionno", "pid"),
        *(
            "inventarnummer",
            "inventorynumber",
            "inventorynr",
            "inventaire",
            "inventario",
            "recordid",
        ),
        *("callnumber", "shelfmark", "signatur", "cote", "uuid", "id"),
    ),
    "label": (
        *("title", "label", "objecttitle", "maintitle", "titel", "titre", "titolo", "titulo"),
        *("bezeichnung", "caption", "objectname", "name"),
    ),
    "summary": (
        *("description", "summary", "abstract", "beschreibung", "omschrijving", "descripcion"),
        *("descrizione", "descricao", "notes", "longdescription", "contentdescription"),
    ),
    "image": (
        *("filename", "file", "image", "imagefile", "filenames", "images", "masterfile", "datei"),
        *("dateiname", "bestand", "bestandsnaam", "fichier", "bild", "objectlocation", "scan"),
        *("imagefilename", "mediafile", "media"),
    ),
    "alt_text": ("imagealttext", "alttext", "alt", "alternativetext", "alternativtext"),
    "rights": (
        *("rightsstatement", "rightsuri", "licence", "license", "licenceuri", "licenseurl"),
        *("standardizedrights", "rights", "lizenz", "rechte", "rechten", "droits", "copyright"),
    ),
    "nav_date": (
        *("datestart", "creationdateearliest", "dateearliest", "earliestdate", "beginyear"),
        *("yearstart", "startyear", "year", "jahr", "jaar", "annee", "date", "datum", "navdate"),
    ),
    "homepage": (
        *("homepage", "objecturl", "referenceurl", "permalink", "url", "link", "recordurl", "uri"),
    ),
    "credit": (*("creditline", "credit", "attribution", "requiredstatement", "courtesy"),),
    "page": ("parentid", "parent", "partof", "memberof", "fieldmemberof", "objectofpage"),
}
"""What columns for each rule are called, likelier ones first: letters and digits alone."""
_LEFT_OUT = re.compile(r"modified|created|updated|timestamp|checksum|md5|latitude|longitude|thumb")


def propose(path: Path, masters: str, sheet: str = "") -> str:
    """Return the text of a `collection.toml` for a table. Raises MappingUnusable, OSError."""
    table = Table(path, sheet)
    if table.columns is None:
        columns, cells = _json_columns(table)
    else:
        columns = [name for name in table.columns if name]
        rows = list(islice(table.rows(set()), LOOKED_AT))
        cells = {
            name: [text for row in rows for text in row.values.get(name, ())] for name in columns
        }
    # A template could not name a column with braces.
    filled = [name for name in columns if cells[name] and not {"{", "}"} & set(name)]
    return _write(path, masters, sheet, filled, _choose(filled, cells), cells)


def _json_columns(table: Table) -> tuple[list[str], dict[str, list[str]]]:
    """Return the fields at the top of JSON rows, and their texts."""
    names = dict.fromkeys(
        name for row in islice(table.documents(), LOOKED_AT) for name in row if name.isidentifier()
    )
    rows = islice(table.rows(set(names)), LOOKED_AT)
    cells: dict[str, list[str]] = {name: [] for name in names}
    for row in rows:
        for name in names:
            cells[name] += row.values.get(name, ())
    return list(names), cells


def _choose(columns: Sequence[str], cells: dict[str, list[str]]) -> dict[str, str]:
    """Return the column of each rule that has one; no column has two."""
    chosen: dict[str, str] = {}
    for rule, names in _NAMES.items():
        free = [name for name in columns if name not in chosen.values()]
        fitting = [name for name in free if _fits(rule, cells[name])]
        by_name = {_plain(name): name for name in reversed(fitting)}
        found = next((by_name[name] for name in names if name in by_name), "")
        if not found and rule == "image":
            found = next((name for name in free if _names_images(cells[name])), "")
        if found:
            chosen[rule] = found
    if parents := set(cells.get(chosen.get("page", ""), ())):
        # Pages name their object by its identifier, whatever the column of that is called.
        named = [name for name in columns if name != chosen["page"] and parents <= {*cells[name]}]
        chosen["identifier"] = named[0] if named else chosen.get("identifier", columns[0])
    return chosen


def _fits(rule: str, texts: Sequence[str]) -> bool:
    """Return whether the cells of a column can be what the rule needs."""
    if rule == "identifier":
        return len(set(texts)) >= 0.95 * len(texts)
    if rule == "image":
        return _names_images(texts)
    if rule == "rights":
        return any(map(rights_uri, texts))
    if rule == "nav_date":
        return sum(bool(re.match(r"\d{4}\b", text)) for text in texts) >= 0.5 * len(texts)
    if rule == "homepage":
        return all(text.startswith(("http://", "https://")) for text in texts)
    return True


def _names_images(texts: Sequence[str]) -> bool:
    named = [
        text for text in texts if Path(re.split(r"[;|]", text)[0].strip()).suffix.lower() in IMAGES
    ]
    return len(named) >= 0.5 * len(texts) > 0


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
    name = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "collection"
    lines = [
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
        "",
        "[object]",
    ]
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
    for column in others[:MOST_METADATA]:
        label = column.replace("_", " ").strip().capitalize()
        lines.append(f"{_quote(label)} = {_rule(column, _split(cells[column]))}")
    return "\n".join(lines) + "\n"


def _rule(column: str, split: str) -> str:
    if split:
        return f"{{value = {_column(column)}, split = {_quote(split)}}}"
    return _column(column)


def _column(name: str) -> str:
    return _quote(f"{{{name}}}")


def _quote(text: str) -> str:
    """Return a TOML string; JSON's escapes are TOML's."""
    return json.dumps(text, ensure_ascii=False)
