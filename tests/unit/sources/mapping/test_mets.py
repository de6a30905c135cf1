"""METS: pages by the physical structure, with their labels; parts by the logical one."""

from pathlib import Path

import pytest

from tests.unit.sources.mapping.made_tables import read
from vitrine.iiif.presentation.model import Range
from vitrine.sources.mapping.to_objects import MappedObject

RULES = """
[collection]
identifier = "books"
label = "Books"
language = "en"
[source]
table = "records"
[object]
identifier = "{//mets/@OBJID}"
label = "{//title}"
"""
GROUP = "{//fileGrp[@USE='DEFAULT']/file/FLocat/@href}"


def file(name: str, place: str, kind: str = "image/jpeg", use: str = "") -> str:
    use = f' USE="{use}"' if use else ""
    return f'<m:file ID="{name}" MIMETYPE="{kind}"{use}><m:FLocat x:href="{place}"/></m:file>'


def group(use: str, *files: str) -> str:
    return f'<m:fileGrp USE="{use}">{"".join(files)}</m:fileGrp>'


def page(attributes: str, *files: str) -> str:
    pointers = "".join(f'<m:fptr FILEID="{one}"/>' for one in files)
    return f'<m:div TYPE="page" {attributes}>{pointers}</m:div>'


def mets(files: str, structure: str, identifier: str = "book") -> str:
    return (
        f'<m:mets xmlns:m="http://www.loc.gov/METS/" xmlns:x="http://www.w3.org/1999/xlink" '
        f'OBJID="{identifier}"><m:dmdSec><title>A book</title></m:dmdSec><m:fileSec>{files}'
        f"</m:fileSec>{structure}</m:mets>"
    )


def mapped(folder: Path, record: str, rules: str = "") -> MappedObject:
    (folder / "records").mkdir(exist_ok=True)
    (folder / "records/a.xml").write_text(record, encoding="utf-8")
    (folder / "collection.toml").write_text(RULES + rules, encoding="utf-8")
    (made,), _ = read(folder / "collection.toml")
    return made


def pages(made: MappedObject) -> list[tuple[str, str]]:
    return [
        (one.image, "".join(text for texts in one.label.values() for text in texts))
        for one in made.item.canvases
    ]


BOOK = mets(
    group("THUMBS", *(file(f"T{n}", f"file:///t/{n}.jpg") for n in (1, 2, 3)))
    + group("DEFAULT", *(file(f"D{n}", f"file:///d/leaf%20{n}.tif") for n in (3, 1, 4, 2)))
    + group("MAX", file("M2", "http://a.example/max-2.jpg"))
    + group("DOWNLOAD", file("PDF", "http://a.example/book.pdf", "application/pdf")),
    '<m:structMap TYPE="LOGICAL"><m:div ID="L0" TYPE="monograph" LABEL="A book">'
    '<m:div ID="L1" TYPE="chapter" LABEL="One"><m:div ID="L2" TYPE="title_page"/></m:div>'
    '<m:div ID="L3" TYPE="chapter" LABEL="Two"/>'
    '<m:div ID="L4" TYPE="chapter" LABEL="Lost"/></m:div>'
    '</m:structMap><m:structMap TYPE="PHYSICAL"><m:div ID="P0" TYPE="physSequence">'
    '<m:fptr FILEID="PDF"/>'
    + page('ID="P2" ORDER="10" ORDERLABEL="2r"', "D2", "M2", "T2")
    + page('ID="P1" ORDER="9" ORDERLABEL=" - " LABEL="Cover"', "D1", "T1")
    + page('ID="P3" ORDER="11" ORDERLABEL="uncounted"', "D3", "T3")
    + "</m:div></m:structMap><m:structLink>"
    + "".join(
        f'<m:smLink x:from="{one}" x:to="{to}"/>'
        for one, to in (("L0", "P0"), ("L1", "P1"), ("L1", "P2"), ("L2", "P1"), ("L3", "P3"))
    )
    + "</m:structLink>",
)


@pytest.mark.parametrize("wrapper", ["{}", "<record><metadata>{}</metadata></record>"])
def test_pages_follow_the_physical_structure(tmp_path: Path, wrapper: str) -> None:
    made = mapped(tmp_path, wrapper.replace("{}", BOOK))
    assert pages(made) == [("leaf 1", "Cover"), ("max-2", "2r"), ("leaf 3", "")]
    assert made.item.ranges == (
        Range(
            label={"en": ("One",)},
            canvases=(1,),
            ranges=(Range(label={"en": ("title page",)}, canvases=(0,)),),
        ),
        Range(label={"en": ("Two",)}, canvases=(2,)),
    )


def test_a_group_that_a_rule_names_is_in_the_order_of_pages(tmp_path: Path) -> None:
    made = mapped(tmp_path, BOOK, f'image = "{GROUP}"')
    assert pages(made) == [("leaf 1", "Cover"), ("leaf 2", "2r"), ("leaf 3", ""), ("leaf 4", "")]
    (first, second) = made.item.ranges
    assert (first.canvases, first.ranges[0].canvases, second.canvases) == ((1,), (0,), (2,))


def test_texts_of_a_group_are_paired_with_the_images_of_their_pages(tmp_path: Path) -> None:
    for n in (1, 2):
        (tmp_path / f"text-{n}.xml").touch()
    record = mets(
        group("DEFAULT", *(file(f"D{n}", f"p{n}.tif") for n in (1, 2)))
        + group("FULLTEXT", *(file(f"X{n}", f"text-{n}.xml", "text/xml") for n in (2, 1))),
        '<m:structMap TYPE="PHYSICAL"><m:div>'
        + "".join(page(f'ORDER="{n}"', f"D{n}", f"X{n}") for n in (1, 2))
        + "</m:div></m:structMap>",
    )
    texts = "{//fileGrp[@USE='FULLTEXT']/file/FLocat/@href}"
    made = mapped(tmp_path, record, f'image = "{GROUP}"\ntext = "{texts}"')
    assert [Path(one).name for one in made.texts] == ["text-1.xml", "text-2.xml"]


def test_newspapers_of_the_library_of_congress_have_a_group_for_each_page(tmp_path: Path) -> None:
    record = mets(
        "".join(
            f"<m:fileGrp>{file(f'm{n}', f'p{n}.tif', 'image/tiff', 'master')}"
            f"{file(f's{n}', f'p{n}.jp2', 'image/jp2', 'service')}</m:fileGrp>"
            for n in (2, 1)
        ),
        '<m:structMap><m:div TYPE="np:issue" LABEL="1900-01-01">'
        + "".join(
            f'<m:div TYPE="np:page" ORDERLABEL="{n}"><m:fptr FILEID="m{n}"/>'
            f'<m:div TYPE="np:region"><m:fptr><m:area FILEID="s{n}"/></m:fptr></m:div></m:div>'
            for n in (1, 2)
        )
        + "</m:div></m:structMap>",
    )
    made = mapped(tmp_path, record)
    assert (pages(made), made.item.ranges) == ([("p1", "1"), ("p2", "2")], ())


def test_one_structure_may_have_both_parts_and_pages(tmp_path: Path) -> None:
    record = mets(
        group("master", *(file(f"F{n}", f"p{n}.tif") for n in (1, 2, 3))),
        '<m:structMap TYPE="mixed"><m:div TYPE="book"><m:div TYPE="chapter" LABEL="One">'
        + page("", "F1") + page("", "F2") + '</m:div><m:div TYPE="chapter" LABEL="Two">'
        + page("", "F3") + "</m:div></m:div></m:structMap>",
    )  # fmt: skip
    made = mapped(tmp_path, record)
    assert [name for name, _ in pages(made)] == ["p1", "p2", "p3"]
    assert [(one.label["en"], one.canvases) for one in made.item.ranges] == [
        (("One",), (0, 1)),
        (("Two",), (2,)),
    ]


def test_without_a_structure_the_files_of_the_best_group_are_the_pages(tmp_path: Path) -> None:
    record = mets(group("THUMBS", file("T", "t.jpg")) + group("LOCAL", file("F", "f.jpg")), "")
    assert pages(mapped(tmp_path, record)) == [("f", "")]


def test_parts_that_name_more_pages_than_any_book_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vitrine.sources.mapping.mets.MAX_REFERENCES", 6)
    (tmp_path / "records").mkdir()
    (tmp_path / "records/a.xml").write_text(BOOK)
    (tmp_path / "collection.toml").write_text(RULES)
    made, (fault,) = read(tmp_path / "collection.toml")
    assert (made, fault.sentence) == ([], "names more than 6 pages in its parts")


def test_a_record_whose_parts_are_nested_too_deep_is_named_and_the_others_are_mapped(
    tmp_path: Path,
) -> None:
    pages = (
        '<m:structMap TYPE="PHYSICAL"><m:div>' + page('ID="P1"', "D1") + "</m:div></m:structMap>"
    )
    files = group("DEFAULT", file("D1", "1.tif"))
    begin, end = '<m:div ID="L" LABEL="Part"><m:div LABEL="Page"/>', "</m:div>"
    parts = f'<m:structMap TYPE="LOGICAL"><m:div>{begin * 245}{end * 245}</m:div></m:structMap>'
    link = '<m:structLink><m:smLink x:from="L" x:to="P1"/></m:structLink>'
    (tmp_path / "records").mkdir()
    (tmp_path / "records/deep.xml").write_text(mets(files, parts + pages + link, "deep"))
    (tmp_path / "records/sound.xml").write_text(mets(files, pages, "sound"))
    (tmp_path / "collection.toml").write_text(RULES)
    objects, notes = read(tmp_path / "collection.toml")
    assert [one.item.identifier for one in objects] == ["sound"]
    faults = [(one.file, one.sentence) for one in notes if one.is_fault]
    assert faults == [("deep.xml", "it is nested too deep")]
