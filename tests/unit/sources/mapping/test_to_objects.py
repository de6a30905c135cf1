"""Rows become objects; what is the matter with a row is said, and the others go on."""

from pathlib import Path

import pytest

from tests.unit.sources.mapping.made_tables import GOOD, RULES, museum, read
from vitrine.cli.collection.display import check_lines
from vitrine.iiif.presentation.model import Statement
from vitrine.sources.mapping.mapping_file import MappingUnusable


def test_a_row_becomes_an_object(tmp_path: Path) -> None:
    (mapped,), notes = read(museum(tmp_path, GOOD))
    item = mapped.item
    assert notes == []
    assert (item.identifier, item.label) == ("11", {"en": ("A plate",)})
    assert item.rights == "http://creativecommons.org/publicdomain/zero/1.0/"
    assert item.nav_date == "1901-01-01T00:00:00Z"
    assert item.part_of == ("plates",)
    assert item.metadata == (
        Statement(label={"en": ("Maker",)}, value={"en": ("A. One", "B. Two")}),
    )
    assert item.required_statement == Statement(label={"en": ("Credit",)}, value={"en": ("Gift",)})
    (canvas,) = item.canvases
    assert (canvas.image, canvas.alt_text) == ("1", {"en": ("Grey",)})
    assert mapped.files == {"1": str(tmp_path / "scans/1.tif")}


def test_a_facet_is_one_in_the_object(tmp_path: Path) -> None:
    rules = RULES + '"Year" = {value = "{Year}", facet = true}\n'
    (mapped,), _ = read(museum(tmp_path, GOOD, rules=rules))
    assert [(one.label["en"], one.facet) for one in mapped.item.metadata] == [
        (("Maker",), False),
        (("Year",), True),
    ]


def test_a_row_without_an_image_may_have_a_page_before_its_image(tmp_path: Path) -> None:
    rules = RULES.replace("[metadata]", "page_before_images = true\n[metadata]")
    rows = "1,A plate,1.tif,Grey,CC0,,,", "12,Another,,,CC0,,,", "13,A third,13.tif,Grey,CC0,,,"
    mapped, _ = read(museum(tmp_path, *rows, rules=rules, files=("1.tif",)))
    assert [one.item.canvases[0].image for one in mapped] == ["1", "12", "13"]
    assert all(one.item.page_before_images for one in mapped)
    assert "2 of them have no image file yet: their pages say so" in check_lines(mapped, [])


def test_a_measured_width_is_that_of_its_image(tmp_path: Path) -> None:
    rules = RULES.replace("[metadata]", 'width_mm = {value = "{Year}", split = ";"}\n[metadata]')
    row = "1,A book,1r.tif; 1v.tif,Front;Back,CC0,320;32.5,,"
    (mapped,), _ = read(museum(tmp_path, row, rules=rules, files=("1r.tif", "1v.tif")))
    assert [canvas.width_mm for canvas in mapped.item.canvases] == [320.0, 32.5]
    (fault,) = [
        note
        for note in read(museum(tmp_path, "1,A,1r.tif,x,CC0,wide,,", rules=rules))[1]
        if note.is_fault
    ]
    assert "canvases[0].width_mm" in fault.rule + fault.sentence


def test_several_images_of_a_cell_are_pages_with_the_texts_of_their_places(tmp_path: Path) -> None:
    row = "1,A book,1r.tif; 1v.tif ;2r.tif,Front;;Back,CC0,,,"
    (mapped,), notes = read(museum(tmp_path, row, files=("1r.tif", "a/1V.TIF", "2r.tif")))
    texts = [(canvas.image, canvas.alt_text) for canvas in mapped.item.canvases]
    assert texts == [("1r", {"en": ("Front",)}), ("1V", {}), ("2r", {"en": ("Back",)})]
    assert [note.sentence for note in notes] == ["the image '1V' has no alternative text"]


PAGES = RULES.replace(
    "[metadata]", '[page]\nof = "{Maker}"\nimage = "{File}"\nlabel = "{Title}"\n[metadata]'
)


def test_rows_below_an_object_are_its_pages(tmp_path: Path) -> None:
    rows = (
        "b1,A book,,,CC0,,,",
        "p1,1r,1r.tif,,,,,b1",
        "p2,1v,1v.tif,,,,,b1",
        "b2,Next,1r.tif,,,,,",
    )
    objects, _ = read(museum(tmp_path, *rows, rules=PAGES, files=("1r.tif", "1v.tif")))
    assert [one.item.identifier for one in objects] == ["b1", "b2"]
    labels = [(canvas.image, canvas.label) for canvas in objects[0].item.canvases]
    assert labels == [("1r", {"en": ("1r",)}), ("1v", {"en": ("1v",)})]


def test_a_row_for_each_page_with_the_identifier_of_its_object(tmp_path: Path) -> None:
    rules = PAGES.replace('of = "{Maker}"', 'of = "{Number}"')
    rows = ("b1,A book,1r.tif,,CC0,,,", "b1,1v,1v.tif,,,,,", "b2,Another,1r.tif,,,,,")
    objects, _ = read(museum(tmp_path, *rows, rules=rules, files=("1r.tif", "1v.tif")))
    assert [(one.item.identifier, len(one.item.canvases)) for one in objects] == [
        ("b1", 2),
        ("b2", 1),
    ]


@pytest.mark.parametrize(
    ("row", "rule", "sentence"),
    [
        (",No number,1.tif,x,CC0,,,", "object.identifier", "the row has no identifier"),
        ("../a,Climbs,1.tif,x,CC0,,,", "object.identifier", '".." segment'),
        ("11,Again,1.tif,x,CC0,,,", "object.identifier", "'11' stands in a row above"),
        ("12,Two files,same.tif,x,CC0,,,", "image", "'same.tif' may be a/same.tif and b/same.tif"),
        ("12,Too many,1.tif,x,CC0,,,,more", "the row", "has 9 cells, the header 8"),
    ],
)
def test_a_fault_keeps_one_object_back_and_no_other(
    tmp_path: Path, row: str, rule: str, sentence: str
) -> None:
    files = ("1.tif", "a/same.tif", "b/same.tif", "c.tif")
    last = "13,The last,c.tif,x,CC0,,,"
    objects, notes = read(museum(tmp_path, GOOD, row, last, files=files))
    (fault,) = [note for note in notes if note.is_fault]
    assert (fault.row, fault.rule) == (3, rule)
    assert sentence in fault.sentence
    assert [one.item.identifier for one in objects] == ["11", "13"]


@pytest.mark.parametrize(
    ("row", "rule", "sentence"),
    [
        ("12,Rights,1.tif,x,all ours,,,", "rights", "'all ours' is no name or URI of Creative"),
        ("12,Rights,1.tif,x,,,,", "rights", "it names no rights"),
        ("12,Rights,1.tif,x,n/a,,,", "rights", "it names no rights"),
        ("12,Date,1.tif,x,CC0,c. 1900,,", "nav_date", "'c. 1900' is not a date like 1642"),
        ("12,Date,1.tif,x,CC0,1900-13,,", "nav_date", "'1900-13' is not a date"),
        ("12,Date,1.tif,x,CC0,0,,", "nav_date", "'0' is not a date"),
        ("12,Alt,1.tif,,CC0,,,", "alt_text", "the image '1' has no alternative text"),
        ("12,File,other.tif,x,CC0,,,", "image", "there is no image 'other.tif' in"),
        ("12,File,,,CC0,,,", "image", "it has no image, so it is not published"),
        ("12,,1.tif,x,CC0,,,", "label", "it has no title"),
    ],
)
def test_a_note_says_what_is_missing_or_was_left_out(
    tmp_path: Path, row: str, rule: str, sentence: str
) -> None:
    objects, (note,) = read(museum(tmp_path, GOOD, row))
    assert (note.row, note.rule, note.is_fault) == (3, rule, False)
    assert sentence in note.sentence
    assert len(objects) == (1 if "not published" in sentence else 2)


def test_a_page_away_from_its_object_is_a_fault(tmp_path: Path) -> None:
    rows = ("b1,A book,1.tif,,CC0,,,", "b2,Another,1.tif,,,,,", "p1,1r,1.tif,,,,,b1")
    _, notes = read(museum(tmp_path, *rows, rules=PAGES))
    (fault,) = [note for note in notes if note.is_fault]
    assert fault.sentence == "its object 'b1' is not in the rows right above it"


def test_html_in_a_cell_is_cleaned(tmp_path: Path) -> None:
    row = '1,"<p onclick=""x()"">A <b>plate</b><script>1</script></p>",1.tif,x,CC0,,,'
    (mapped,), _ = read(museum(tmp_path, row))
    assert mapped.item.label == {"en": ("A plate",)}


def test_two_files_of_one_name_are_not_one_image(tmp_path: Path) -> None:
    rows = ("11,Tif,1.tif,x,CC0,,,", "12,Jpeg,1.jpg,x,CC0,,,")
    objects, notes = read(museum(tmp_path, *rows, files=("1.tif", "1.jpg")))
    assert [one.item.identifier for one in objects] == ["11"]
    assert "would both be the image '1'" in next(note.sentence for note in notes if note.is_fault)


def test_a_column_that_the_table_lacks_is_named_with_those_it_has(tmp_path: Path) -> None:
    rules = museum(tmp_path, GOOD, rules=RULES.replace("{Title}", "{Titel}"))
    with pytest.raises(MappingUnusable, match="has no column 'Titel'; it has Number, Title, File"):
        read(rules)


def test_a_cell_of_which_nothing_is_allowed_keeps_no_object_back(tmp_path: Path) -> None:
    row = "11,A plate,1.tif,Grey,CC0,1901,Gift,<script>x()</script>"
    (made,), notes = read(museum(tmp_path, row))
    assert made.item.metadata == ()
    assert not any(note.is_fault for note in notes)
