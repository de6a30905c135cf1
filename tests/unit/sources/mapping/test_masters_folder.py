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
    ],
)
def test_a_cell_means_the_file_of_its_folder(cell: str, found: list[str]) -> None:
    masters = MasterFiles("here", ((PurePosixPath(one), one) for one in FILES))
    assert masters.find(cell) == found


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
