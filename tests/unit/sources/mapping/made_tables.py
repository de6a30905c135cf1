"""A small museum: a table, its images and its rules, in a folder."""

from pathlib import Path

from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.to_objects import MappedObject, RowNote
from vitrine.sources.updates.open_mapper import open_mapper

RULES = """
[collection]
identifier = "plates"
label = "Plates"
language = "en"

[source]
table = "plates.csv"
masters = "scans"
empty = ["n/a"]

[object]
identifier = "{Number}"
label = "{Title}"
image = {value = "{File}", split = ";"}
alt_text = {value = "{Alt}", split = ";"}
rights = "{Licence}"
nav_date = "{Year}"
required_statement = {label = "Credit", value = "{Credit}"}

[metadata]
"Maker" = {value = "{Maker}", split = ";"}
"""
HEADER = "Number,Title,File,Alt,Licence,Year,Credit,Maker"
GOOD = "11,A plate,1.tif,Grey,CC0,1901,Gift,A. One; B. Two"


def museum(
    folder: Path, *rows: str, rules: str = RULES, files: tuple[str, ...] = ("1.tif",)
) -> Path:
    """Write it all; return the file of rules."""
    (folder / "plates.csv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    for name in files:
        path = folder / "scans" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (folder / "collection.toml").write_text(rules, encoding="utf-8")
    return folder / "collection.toml"


def read(rules: Path) -> tuple[list[MappedObject], list[RowNote]]:
    found = list(open_mapper(read_mapping(rules)).objects())
    objects = [one for one in found if isinstance(one, MappedObject)]
    return objects, [one for one in found if isinstance(one, RowNote)]
