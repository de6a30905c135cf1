"""A first mapping for a table that nobody has described."""

import json
import tomllib
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from vitrine.proposal.propose import propose
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.masters_folder import MasterFiles


def proposed(folder: Path, name: str, text: str, files: tuple[str, ...] = ()) -> dict[str, Any]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    masters = MasterFiles("scans", ((PurePosixPath(one), one) for one in files))
    written = propose(path, masters, "scans")
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
    rows = "P1,A,B,a.tif,Grey,CC0,1901,Gift\nP2,A,B,b.tif,Grey,CC0,1902,Gift\n"
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
    rows = [{"id": f"P{number}", "title": "A", "makers": [{"name": "One"}]} for number in range(3)]
    item = proposed(tmp_path, "t.json", json.dumps(rows))["object"]
    assert (item["identifier"], item["label"]) == ("{id}", "{title}")


def test_a_name_with_quotes_comes_back_as_it_is_and_one_with_braces_is_a_comment(
    tmp_path: Path,
) -> None:
    text = 'id,"a ""quoted"" one",{column}\n11,x,y\n12,z,w\n'
    rules = proposed(tmp_path, "t.csv", text)
    assert rules["metadata"] == {"A quoted one": '{a "quoted" one}'}
    assert '"{{column}}"' in (tmp_path / "collection.toml").read_text(encoding="utf-8")


TABLE = """\
Inv.No,Title,thumb,oldFile,Purchased,Made
1943.3.1,Oak tree,https://a.example/k1_8.jpg,DSC1,1999,1643
1943.3.2,Elm tree,https://a.example/k2_8.jpg,DSC2,1999,1650
1943.3.10,Ash tree,https://a.example/k3_8.jpg,DSC3,2001,1651
"""


@pytest.mark.parametrize(
    ("files", "image"),
    [
        (("k1_8.jpg", "k3_8.tif"), "{thumb}"),
        (("box/DSC1.tif", "box2/dsc3.TIF"), "{oldFile}"),
        (("1943.3.2.tif",), "{Inv.No}"),
        (("1943-3-01.tif", "1943-3-10.tif"), "{Inv.No}"),
        (("m_1943.3.1.tif", "m_1943.3.10.tif"), "m_{Inv.No}"),
        (("m_1943.3.1_a.tif", "m_1943.3.1_b.tif", "m_1943.3.10_a.tif"), "m_{Inv.No}_*"),
        (("1943.3.1.tif", "1943.3.1v.tif", "1943.3.2v.tif"), "{Inv.No}*"),
        (("other.tif",), "{thumb}"),
    ],
)
def test_the_column_of_images_is_the_one_whose_files_are_there(
    tmp_path: Path, files: tuple[str, ...], image: str
) -> None:
    rules = proposed(tmp_path, "plates_2024.csv", TABLE, files)
    assert rules["object"]["image"] == image
    assert rules["object"]["identifier"] == "{Inv.No}"
    assert rules["object"]["label"] == "{Title}"
    assert rules["collection"]["label"] == "Plates 2024"


def test_a_comment_says_how_many_rows_have_their_file(tmp_path: Path) -> None:
    proposed(tmp_path, "t.csv", TABLE, ("DSC1.tif", "elsewhere.tif"))
    text = (tmp_path / "collection.toml").read_text(encoding="utf-8")
    assert "# 1 of 3 rows have a file, of 2 in the folder" in text


def test_a_date_of_purchase_is_on_no_timeline(tmp_path: Path) -> None:
    text = "id,acquisitionYear,title\n1,1999,A\n2,2001,B\n"
    assert "nav_date" not in proposed(tmp_path, "t.csv", text)["object"]


def test_no_column_is_lost_and_twenty_are_too_many_to_show(tmp_path: Path) -> None:
    names = ["id", *(f"column_{number}" for number in range(20)), "date_modified", "empty"]
    rows = (
        [row, *(f"text {row} {column}" for column in range(20)), "x", ""] for row in ("k1", "k2")
    )
    text = "\n".join([",".join(names), *map(",".join, rows)])
    shown = proposed(tmp_path, "t.csv", text)["metadata"]
    written = (tmp_path / "collection.toml").read_text(encoding="utf-8")
    assert len(shown) == 16
    assert [name for name in names if f'"{{{name}}}"' not in written] == []


def test_people_browse_by_values_that_repeat(tmp_path: Path) -> None:
    rows = (
        f"k{row},Work {row},Maker {row % 4},{row % 3},{row % 5};2,{row % 2}r; b"
        for row in range(24)
    )
    text = "\n".join(["id,title,maker,height,dateText,subjects", *rows])
    metadata = proposed(tmp_path, "t.csv", text)["metadata"]
    facets = {label for label, rule in metadata.items() if "'facet': True" in str(rule)}
    assert facets == {"Maker", "Subjects"}
    assert metadata["Date text"] == {"value": "{dateText}", "split": ";"}


def test_fields_in_fields_are_columns(tmp_path: Path) -> None:
    makers = [{"full_name": "One Person", "id": 3}, {"full_name": "Another", "id": 4}]
    rows = [
        {"id": f"a-{number}", "title": "A tree", "makers": makers, "range": {"startYear": 1640}}
        for number in range(3)
    ]
    rows[0]["makers"] = None
    rules = proposed(tmp_path, "t.json", json.dumps(rows))
    assert rules["object"]["nav_date"] == "{range.startYear}"
    assert rules["metadata"]["Makers"] == "{makers[].full_name}"


def test_two_columns_of_one_label_have_a_line_each(tmp_path: Path) -> None:
    text = "id,title,dateText,date_text,Date text\nk1,A,a,b,c\nk2,B,d,e,f\n"
    assert len(proposed(tmp_path, "t.csv", text)["metadata"]) == 3


def test_numbers_that_are_reserved_have_the_collections_name_in_front(tmp_path: Path) -> None:
    text = "id,parent,title\n2,,A book\n5,2,A page\n"
    rules = proposed(tmp_path, "books.csv", text)
    assert rules["object"]["identifier"] == "books-{id}"
    assert rules["page"]["of"] == "books-{parent}"


def test_a_place_is_proposed_if_both_of_its_columns_are_there(tmp_path: Path) -> None:
    rules = proposed(tmp_path, "t.csv", "id,title,Lat,Long\n1,A,52.01,4.36\n2,B,,\n")["object"]
    assert (rules["latitude"], rules["longitude"]) == ("{Lat}", "{Long}")
    alone = proposed(tmp_path, "u.csv", "id,title,Lat,Long\n1,A,52.01,tall\n2,B,4,\n")
    assert "latitude" not in alone["object"]
    assert alone["metadata"]["Lat"] == "{Lat}"


def test_the_name_of_a_place_is_proposed_with_it(tmp_path: Path) -> None:
    text = "id,title,location,latitude,longitude\n1,A,Delft,52.01,4.36\n2,B,Gouda,52.01,4.71\n"
    rules = proposed(tmp_path, "t.csv", text)
    assert rules["object"]["place"] == "{location}"
    assert "{location}" in str(rules["metadata"]), "it is still shown"
    alone = proposed(tmp_path, "u.csv", "id,title,location\n1,A,Room 4\n2,B,Room 5\n")
    assert "place" not in alone["object"]
