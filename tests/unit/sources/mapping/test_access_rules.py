"""Who may see an object's images is said in its row, else for the whole collection."""

from pathlib import Path

import pytest

from tests.unit.sources.mapping.made_tables import GOOD, RULES, museum, read
from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.mapping_reader import read_mapping

BY_ROW = RULES.replace("nav_date =", 'access = "{Credit}"\nnav_date =')
BY_COLLECTION = 'language = "en"\naccess = "small:1000"'


def row(number: int, access: str) -> str:
    return f"1{number},A plate,1.tif,Grey,CC0,1901,{access},A. One"


def test_a_row_says_who_sees_its_images(tmp_path: Path) -> None:
    rows = [row(1, " Closed"), row(2, "small:1000:staff"), row(3, "")]
    objects, notes = read(museum(tmp_path, *rows, rules=BY_ROW))
    assert [one.access for one in objects] == ["closed", "small:1000:staff", ""]
    assert notes == []


def test_the_collection_says_it_where_no_row_does(tmp_path: Path) -> None:
    rules = BY_ROW.replace('language = "en"', BY_COLLECTION)
    rows = [row(1, "open"), row(2, ""), row(3, "n/a")]
    objects, _ = read(museum(tmp_path, *rows, rules=rules))
    assert [one.access for one in objects] == ["open", "", ""]


def test_without_a_rule_images_keep_theirs(tmp_path: Path) -> None:
    objects, _ = read(museum(tmp_path, GOOD))
    assert [one.access for one in objects] == [""]


@pytest.mark.parametrize(
    "text", ["secret!", "small:10", "share", "small:1000:open", "nobody, please"]
)
def test_a_row_whose_rule_cannot_be_read_is_not_published(tmp_path: Path, text: str) -> None:
    rows = [row(1, f'"{text}"'), row(2, "")]
    objects, notes = read(museum(tmp_path, *rows, rules=BY_ROW))
    assert [one.item.identifier for one in objects] == ["12"]
    (note,) = notes
    assert (note.row, note.rule, note.is_fault) == (2, "access", True)
    assert "is no rule of access" in note.sentence
    assert "is as open as before" in note.sentence


def test_a_collection_whose_rule_cannot_be_read_is_not_usable(tmp_path: Path) -> None:
    rules = RULES.replace('language = "en"', 'language = "en"\naccess = "small:9"')
    with pytest.raises(MappingUnusable, match=r"collection\.access: .* is no rule of access"):
        read_mapping(museum(tmp_path, GOOD, rules=rules))
