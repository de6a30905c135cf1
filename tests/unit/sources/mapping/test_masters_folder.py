"""A cell means the file of its folder, and of no other."""

from pathlib import PurePosixPath

import pytest

from vitrine.sources.mapping.masters_folder import MasterFiles, image_name

NFD = "Mu\u0308ller.tif"
FILES = ("two words.tif", "50%25.tif", NFD, "book1/0007.xml", "deep/book3/0001.xml", "alone.xml")


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("book1/0007.xml", ["book1/0007.xml"]),
        ("BOOK1\\0007.XML", ["book1/0007.xml"]),
        ("book1/0007", ["book1/0007.xml"]),
        ("book1/0007.tif", ["book1/0007.xml"]),
        ("book3/0001.xml", ["deep/book3/0001.xml"]),
        ("0007.xml", ["book1/0007.xml"]),
        ("0007", ["book1/0007.xml"]),
        ("D:/scans/elsewhere/0007.xml", ["book1/0007.xml"]),
        ("https://library.example/book1/0007.xml", ["book1/0007.xml"]),
        ("book3/0007.xml", []),
        ("book1/0001.xml", []),
        ("https://library.example/book3/0007.xml", []),
        ("file:///scans/two%20words.tif", ["two words.tif"]),
        ("two%20words", ["two words.tif"]),
        ("50%25.tif", ["50%25.tif"]),
        ("50%2525.tif", ["50%25.tif"]),
        ("M\u00fcller.tif", [NFD]),
        ("file:///M%C3%BCller.tif", [NFD]),
        ("Mu%CC%88ller.tif", [NFD]),
        ("", []),
        ("/", []),
        ("-", []),
        ("...", []),
        ("7", ["book1/0007.xml"]),
        ("two-words", ["two words.tif"]),
        ("book3/7", []),
    ],
)
def test_a_cell_means_the_file_of_its_folder(cell: str, found: list[str]) -> None:
    masters = MasterFiles("here", ((PurePosixPath(one), one) for one in FILES))
    assert masters.find(cell) == found


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("1943.3", ["1943.3.tif"]),
        ("1943.3.12", []),
        ("1943.3.12.jpg", []),
        ("1943.4.1", ["1943-4-01.tif"]),
        ("https://a.example/1943.4.1.jpg?size=large", []),
        ("1943.4.2", ["1943.4.2.tif"]),
        ("1943.5.1", ["1943_5_1.tif", "1943.5.01.tif"]),
    ],
)
def test_the_end_of_an_inventory_number_is_no_extension(cell: str, found: list[str]) -> None:
    files = ("1943.3.tif", "1943-4-01.tif", "1943.4.2.tif", "1943_4_2.tif")
    files = (*files, "1943_5_1.tif", "1943.5.01.tif")
    masters = MasterFiles("here", ((PurePosixPath(one), one) for one in files))
    assert masters.find(cell) == found
    assert image_name("1943.3.12", is_file=False) == "1943.3.12"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("P-1*", ["P-1.tif", "book/p-1_2.tif", "P-1_10.tif", "P-1v.tif"]),
        ("p-1_*", ["book/p-1_2.tif", "P-1_10.tif"]),
        ("P-12*", ["P-12.tif"]),
        ("P-4*", ["P-4a.tif"]),
        ("P-4.*", ["P-4.1.tif", "P-4.2.tif"]),
        ("P-3*", []),
        ("*", []),
    ],
)
def test_an_asterisk_means_all_files_that_begin_so(value: str, found: list[str]) -> None:
    files = ("P-1_10.tif", "P-12.tif", "P-1.tif", "P-1v.tif", "book/p-1_2.tif", "A P-1.tif")
    files = (*files, "P-4.2.tif", "P-4.1.tif", "P-4a.tif")
    masters = MasterFiles("here", ((PurePosixPath(one), one) for one in files))
    each = masters.find_each(value)
    assert [file for _, several in each for file in several] == found
    assert found or each == [(value.rstrip("*"), [])]


@pytest.mark.parametrize(
    ("place", "is_file", "name"),
    [
        (f"/scans/{NFD}", True, "M\u00fcller"),
        ("/scans/50%25.tif", True, "50%25"),
        ("https://a.example/two%20words.jpg", False, "two words"),
        ("50%25.tif", False, "50%25"),
    ],
)
def test_an_image_is_named_as_its_ingest_names_it(place: str, is_file: bool, name: str) -> None:
    assert image_name(place, is_file=is_file) == name
