"""A first mapping for a table that nobody has described."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.propose import propose


def proposed(folder: Path, name: str, text: str) -> dict[str, Any]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    written = propose(path, "scans")
    (folder / "collection.toml").write_text(written, encoding="utf-8")
    read_mapping(folder / "collection.toml")
    return tomllib.loads(written)


@pytest.mark.parametrize(
    "header",
    [
        "Inventory number,Title,Description,File name,Alt text,Licence,Year,Credit line",
        "Inventarnummer,Titel,Beschreibung,Dateiname,Alternativtext,Lizenz,Jahr,credit",
        "accession_number,titre,summary,fichier,alt,droits,année,attribution",
        "objectid,object_title,abstract,object_location,image_alt_text,rightsstatement,date,credit",
    ],
)
def test_columns_are_known_by_many_names(tmp_path: Path, header: str) -> None:
    columns = header.split(",")
    rows = "1,A,B,a.tif,Grey,CC0,1901,Gift\n2,A,B,b.tif,Grey,CC0,1902,Gift\n"
    item = proposed(tmp_path, "plates.csv", f"{header}\n{rows}")["object"]
    rules = ("identifier", "label", "summary", "image", "alt_text", "rights", "nav_date")
    assert [item[rule] for rule in rules] == [f"{{{name}}}" for name in columns[:7]]
    assert item["required_statement"]["value"] == f"{{{columns[7]}}}"


def test_what_cells_hold_counts_more_than_names(tmp_path: Path) -> None:
    """An id that repeats does not count, nor a URL in `date`; images are known by their endings."""
    text = "id,number,date,what\n1,a,http://x,s1.tif|s2.tif\n1,b,http://y,s3.tif|s4.tif\n"
    item = proposed(tmp_path, "t.csv", text)["object"]
    assert item["image"] == {"value": "{what}", "split": "|"}
    assert "nav_date" not in item
    assert item["identifier"] != "{date}"


def test_pages_name_their_object_by_its_identifier(tmp_path: Path) -> None:
    rows = ("b1,x1,,Book,", "p1,x2,b1,1r,1.tif", "p2,x3,b1,1v,2.tif")
    text = "\n".join(["objectid,identifier,parentid,title,file", *rows])
    rules = proposed(tmp_path, "t.csv", text)
    assert rules["object"]["identifier"] == "{objectid}"
    assert rules["page"] == {"of": "{parentid}", "image": "{file}", "label": "{title}"}


def test_json_has_the_fields_at_its_top(tmp_path: Path) -> None:
    rows = [{"id": number, "title": "A", "makers": [{"name": "One"}]} for number in range(3)]
    item = proposed(tmp_path, "t.json", json.dumps(rows))["object"]
    assert (item["identifier"], item["label"]) == ("{id}", "{title}")


def test_names_with_quotes_come_back_as_they_are_and_those_with_braces_are_left_out(
    tmp_path: Path,
) -> None:
    text = 'id,"a ""quoted"" one",{column}\n11,x,y\n'
    rules = proposed(tmp_path, "t.csv", text)
    assert rules["metadata"] == {'A "quoted" one': '{a "quoted" one}'}
