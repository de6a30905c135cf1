"""A cell means the file of its folder, and of no other."""

from pathlib import PurePosixPath

import pytest

from vitrine.present.mapping.masters_folder import Masters

FILES = ("book1/0007.xml", "deep/book3/0001.xml", "alone.xml")


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
        ("", []),
        ("/", []),
    ],
)
def test_a_cell_means_the_file_of_its_folder(cell: str, found: list[str]) -> None:
    masters = Masters("here", ((PurePosixPath(one), one) for one in FILES))
    assert masters.find(cell) == found
