"""A table names the files with the texts of its images, or they have the images' names."""

from pathlib import Path

import pytest

from tests.unit.sources.mapping.made_tables import RULES, museum, read
from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.mapping_reader import read_mapping

ROW = "{},A plate,{},Grey,CC0,1901,Gift,{}"
BY_RULE = RULES.replace("[metadata]", 'text = {value = "{Maker}", split = ";"}\n[metadata]')
BY_NAME = RULES.replace("[object]", 'texts = "ocr"\n[object]')


def write_texts(folder: Path, *names: str) -> None:
    """Files of texts, empty."""
    for name in names:
        (folder / "ocr" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "ocr" / name).touch()


def texts(folder: Path, rules: str, *rows: str) -> tuple[list[list[str]], list[str]]:
    """The names of the files of each object, and what is said about texts."""
    path = museum(folder, *rows, rules=rules, files=("1.tif", "2.tif"))
    mapped, notes = read(path)
    names = [[Path(text).name for text in one.texts] for one in mapped]
    return names, [note.sentence for note in notes if note.rule == "text"]


def test_each_image_has_the_text_that_its_row_names_in_the_same_place(tmp_path: Path) -> None:
    write_texts(tmp_path, "a/one.xml", "two.hocr")
    row = ROW.format(11, "1.tif;2.tif", "ocr/a/ONE.xml; two")
    assert texts(tmp_path, BY_RULE, row) == ([["one.xml", "two.hocr"]], [])


def test_one_text_is_of_all_images_of_an_object(tmp_path: Path) -> None:
    write_texts(tmp_path, "book.hocr")
    row = ROW.format(11, "1.tif;2.tif", "book.hocr")
    assert texts(tmp_path, BY_RULE, row) == ([["book.hocr", "book.hocr"]], [])


def test_texts_that_are_not_as_many_as_the_images_are_left_out(tmp_path: Path) -> None:
    write_texts(tmp_path, "a.xml", "b.xml", "c.xml")
    names, said = texts(tmp_path, BY_RULE, ROW.format(11, "1.tif;2.tif", "a.xml;b.xml;c.xml"))
    assert names == [[]]
    assert said == ["it has 3 texts for 2 images: they are left out"]


def test_a_text_that_is_not_there_is_noted_and_the_others_are_taken(tmp_path: Path) -> None:
    write_texts(tmp_path, "two.xml")
    names, said = texts(tmp_path, BY_RULE, ROW.format(11, "1.tif;2.tif", "one.xml;two.xml"))
    assert names == [["", "two.xml"]]
    assert said == [f"there is no text 'one.xml' in {tmp_path}"]


def test_a_name_that_means_two_files_is_noted(tmp_path: Path) -> None:
    write_texts(tmp_path, "one.xml", "one.txt")
    names, said = texts(tmp_path, BY_RULE, ROW.format(11, "1.tif", "one"))
    assert names == [[]]
    assert said == ["the text 'one' may be ocr/one.txt and ocr/one.xml: it is left out"]


def test_an_image_without_a_text_between_others_is_an_empty_part_of_the_cell(
    tmp_path: Path,
) -> None:
    write_texts(tmp_path, "two.xml")
    row = ROW.format(11, "1.tif;2.tif", ";two.xml")
    assert texts(tmp_path, BY_RULE, row) == ([["", "two.xml"]], [])


def test_without_a_rule_each_image_has_the_file_of_its_name(tmp_path: Path) -> None:
    write_texts(tmp_path, "2.xml", "3.xml", "2.pdf")
    row = ROW.format(11, "1.tif;2.tif", "")
    assert texts(tmp_path, BY_NAME, row) == ([["", "2.xml"]], [])


def test_a_file_of_rules_without_texts_looks_for_none(tmp_path: Path) -> None:
    write_texts(tmp_path, "1.xml")
    assert texts(tmp_path, RULES, ROW.format(11, "1.tif", "")) == ([[]], [])


def test_rows_that_are_pages_name_their_own_texts(tmp_path: Path) -> None:
    write_texts(tmp_path, "one.xml", "two.xml")
    rules = RULES.replace(
        "[metadata]", '[page]\nof = "{Title}"\nimage = "{File}"\ntext = "{Maker}"\n[metadata]'
    )
    rows = ("11,11,1.tif,,,,,one.xml", "12,11,2.tif,,,,,two.xml")
    assert texts(tmp_path, rules, *rows) == ([["one.xml", "two.xml"]], [])


METS = """<m:mets xmlns:m="http://www.loc.gov/METS/" xmlns:x="http://www.w3.org/1999/xlink"
OBJID="11" LABEL="A book"><m:fileSec>
<m:fileGrp USE="DEFAULT"><m:file><m:FLocat x:href="https://a.example/img/1.tif"/></m:file>
<m:file><m:FLocat x:href="https://a.example/img/2.tif"/></m:file></m:fileGrp>
<m:fileGrp USE="FULLTEXT"><m:file><m:FLocat x:href="https://a.example/alto/p1.xml"/></m:file>
<m:file><m:FLocat x:href="https://a.example/alto/p2.xml"/></m:file></m:fileGrp>
</m:fileSec></m:mets>"""


def test_mets_names_its_texts_in_the_group_of_files_of_full_texts(tmp_path: Path) -> None:
    write_texts(tmp_path, "p1.xml", "p2.xml")
    (tmp_path / "mets.xml").write_text(METS)
    rules = """
[collection]
identifier = "books"
label = "Books"
[source]
table = "mets.xml"
masters = "scans"
texts = "ocr"
[object]
identifier = "{@OBJID}"
label = "{@LABEL}"
image = "{//fileGrp[@USE='DEFAULT']/file/FLocat/@href}"
text = "{//fileGrp[@USE='FULLTEXT']/file/FLocat/@href}"
"""
    path = museum(tmp_path, rules=rules, files=("1.tif", "2.tif"))
    (mapped,), _ = read(path)
    assert [Path(text).name for text in mapped.texts] == ["p1.xml", "p2.xml"]


def test_the_folder_of_texts_is_a_text(tmp_path: Path) -> None:
    rules = RULES.replace("[object]", "texts = 3\n[object]")
    with pytest.raises(MappingUnusable, match=r"source\.texts: is not a text in quotes"):
        read_mapping(museum(tmp_path, rules=rules))


def test_annotations_are_files_of_json_that_are_found_as_texts_are(tmp_path: Path) -> None:
    write_texts(tmp_path, "1.json", "1.xml", "2.json")
    rules = BY_NAME.replace('texts = "ocr"', 'texts = "ocr"\nannotations = "ocr"')
    path = museum(
        tmp_path, ROW.format(11, "1.tif;2.tif", "x"), rules=rules, files=("1.tif", "2.tif")
    )
    (mapped,), notes = read(path)
    assert [Path(one).name for one in mapped.annotations] == ["1.json", "2.json"]
    assert [Path(one).name for one in mapped.texts if one] == ["2.json"]
    assert [note.rule for note in notes if "may be" in note.sentence] == ["text"]


def test_a_row_names_the_files_of_annotations_of_its_images(tmp_path: Path) -> None:
    write_texts(tmp_path, "a.json", "a.xml")
    rules = BY_RULE.replace('text = {value = "{Maker}"', 'annotations = {value = "{Maker}"')
    path = museum(
        tmp_path, ROW.format(11, "1.tif;2.tif", "a;b.json"), rules=rules, files=("1.tif", "2.tif")
    )
    (mapped,), notes = read(path)
    assert [Path(one).name for one in mapped.annotations] == ["a.json", ""]
    assert mapped.texts == ()
    said = [note.sentence for note in notes if note.rule == "annotations"]
    assert said == [f"there is no file of annotations 'b.json' in {tmp_path}"]
