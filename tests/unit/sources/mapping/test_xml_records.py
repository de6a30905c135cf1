"""Records in XML: asked by XPath without namespaces, and never more than the file holds."""

from pathlib import Path

import pytest

from tests.unit.sources.mapping.made_tables import read
from vitrine.proposal.propose import propose
from vitrine.sources.mapping import xml_records
from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.masters_folder import MasterFiles
from vitrine.sources.mapping.table import open_table

LIDO = """<?xml version="1.0" encoding="UTF-8"?>
<lido:lidoWrap xmlns:lido="http://www.lido-schema.org">
  <lido:lido>
    <lido:lidoRecID lido:type="local">M-1</lido:lidoRecID>
    <lido:titleSet><lido:appellationValue xml:lang="en">A <b>plate</b>
      of tin</lido:appellationValue></lido:titleSet>
    <lido:titleSet><lido:appellationValue xml:lang="de">Zinnteller</lido:appellationValue>
    </lido:titleSet>
    <lido:nameActorSet><lido:appellationValue>A. One</lido:appellationValue></lido:nameActorSet>
    <lido:nameActorSet><lido:appellationValue>B. Two</lido:appellationValue></lido:nameActorSet>
    <lido:linkResource>https://museum.example/scans/1.tif</lido:linkResource>
    <lido:rightsType><lido:conceptID>CC0</lido:conceptID></lido:rightsType>
  </lido:lido>
  <lido:lido><lido:lidoRecID>M-2</lido:lidoRecID></lido:lido>
</lido:lidoWrap>
"""
RULES = """
[collection]
identifier = "tin"
label = "Tin"
[source]
table = "records.xml"
masters = "scans"
[object]
identifier = "{lidoRecID}"
label = {en = "{titleSet/appellationValue[@lang='en']}", de = "{titleSet/*[@lang='de']}"}
image = "{linkResource}"
alt_text = "{objectDescription}"
rights = "{rightsType/conceptID}"
[metadata]
"Maker" = "{//nameActorSet/appellationValue}"
"""


def museum(folder: Path, text: str = LIDO, rules: str = RULES, name: str = "records.xml") -> Path:
    (folder / "scans").mkdir(exist_ok=True)
    (folder / "scans/1.tif").touch()
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "collection.toml").write_text(rules, encoding="utf-8")
    return folder / "collection.toml"


def test_a_record_becomes_an_object_by_the_paths_of_its_rules(tmp_path: Path) -> None:
    (made,), notes = read(museum(tmp_path))
    item = made.item
    assert (item.identifier, [canvas.image for canvas in item.canvases]) == ("M-1", ["1"])
    assert item.label == {"en": ("A plate of tin",), "de": ("Zinnteller",)}
    assert item.rights == "http://creativecommons.org/publicdomain/zero/1.0/"
    assert item.metadata[0].value == {"none": ("A. One", "B. Two")}
    assert "it has no image, so it is not published" in [note.sentence for note in notes]


def test_a_path_from_the_top_finds_what_is_in_the_record_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<list><r><n>1</n></r><r><n>2</n></r></list>")
    rows = open_table(path, inner="r").rows({"//n", "count(//n)", "string(//n)", "n = 2", "//none"})
    first, second = (row.values for row in rows)
    assert first == {
        "//n": ["1"],
        "count(//n)": ["1"],
        "string(//n)": ["1"],
        "n = 2": ["no"],
        "//none": [],
    }
    assert (second["//n"], second["n = 2"]) == (["2"], ["yes"])


@pytest.mark.parametrize(
    ("wrapper", "count"),
    [
        ("<OAI-PMH xmlns='http://www.openarchives.org/OAI/2.0/'><ListRecords>{}</ListRecords>"
         "</OAI-PMH>", 1),
        ("<modsCollection xmlns='http://www.loc.gov/mods/v3'><mods/><mods/></modsCollection>", 2),
        ("<m:collection xmlns:m='http://www.loc.gov/MARC21/slim'><m:record/></m:collection>", 1),
        ("<ead/>", 1),
    ],
)  # fmt: skip
def test_records_are_found_where_their_format_has_them(
    tmp_path: Path, wrapper: str, count: int
) -> None:
    path = tmp_path / "a.xml"
    deleted = "<record><header status='deleted'><identifier>b</identifier></header></record>"
    kept = "<record><header><identifier>a</identifier></header><metadata/></record>"
    path.write_text(wrapper.replace("{}", kept + deleted))
    rows = list(open_table(path).rows({"header/identifier"}))
    assert len(rows) == count
    assert rows[0].values["header/identifier"] in (["a"], [])


def test_a_folder_is_one_table_and_a_broken_file_harms_no_other(tmp_path: Path) -> None:
    rules = RULES.replace('"records.xml"', '"records"')
    museum(tmp_path, "<lido><lidoRecID>", rules, "records/a.xml")
    museum(tmp_path, LIDO, rules, "records/b.xml")
    (tmp_path / "records/c.json").write_text('{"lidoRecID": "M-3", "linkResource": "1.tif"}')
    rules = museum(tmp_path, LIDO.replace("M-1", "M-4"), rules, "records/d.xml")
    rules.write_text(rules.read_text().replace("titleSet/*[@lang='de']", "x").replace(
        "titleSet/appellationValue[@lang='en']", "x").replace(
        "rightsType/conceptID", "x").replace("//nameActorSet/appellationValue", "x"))  # fmt: skip
    objects, notes = read(rules)
    assert [(one.row, one.item.identifier) for one in objects] == [
        (2, "M-1"),
        (4, "M-3"),
        (5, "M-4"),
    ]
    (fault,) = (note for note in notes if note.rule == "the row")
    assert (fault.row, fault.file) == (1, "a.xml")
    assert "a.xml is not XML" in fault.sentence
    (again,) = (note for note in notes if note.is_fault and note != fault)
    assert (again.row, again.file, again.sentence) == (6, "d.xml", "'M-2' stands in a row above")


LAUGHS = "".join(
    f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" if n else "<!ENTITY l0 'ha'>" for n in range(20)
)


@pytest.mark.parametrize(
    ("declared", "used"),
    [
        ('<!ENTITY file SYSTEM "file:///etc/passwd">', "&file;"),
        ('<!ENTITY far SYSTEM "http://127.0.0.1:9/">', "&far;"),
        ("<!ENTITY near 'text'>", "&near;"),
    ],
)
def test_no_entity_is_resolved(tmp_path: Path, declared: str, used: str) -> None:
    path = tmp_path / "a.xml"
    path.write_text(f"<!DOCTYPE r [{declared}]><r><n>{used}</n></r>")
    (row,) = open_table(path).rows({"n"})
    assert (
        row.fault == f"has {used}, which stands for a text elsewhere: write the text in its place"
    )


@pytest.mark.parametrize("use", ["<r>&l19;</r>", "<r n='&l19;'/>"])
def test_entities_do_not_multiply(tmp_path: Path, use: str) -> None:
    path = tmp_path / "a.xml"
    path.write_text(f"<!DOCTYPE r [{LAUGHS}]>{use}")
    with pytest.raises(MappingUnusable, match="is not XML"):
        list(open_table(path).rows({"@n"}))


def test_a_document_type_elsewhere_is_not_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text('<!DOCTYPE ead SYSTEM "http://127.0.0.1:9/ead.dtd"><ead><n>1</n></ead>')
    (row,) = open_table(path).rows({"n"})
    assert row.values == {"n": ["1"]}


@pytest.mark.parametrize(
    ("text", "inner", "sentence"),
    [
        ("<a>", "", "is not XML"),
        ("<a/>", "b", "has no record at b"),
        ("<a/>", "count(b)", "has no record at"),
        ("<a/>", "b[", "is no XPath expression"),
        ("<a>" * 300 + "</a>" * 300, "", "is not XML"),
    ],
)
def test_what_is_no_record_says_why(tmp_path: Path, text: str, inner: str, sentence: str) -> None:
    path = tmp_path / "a.xml"
    path.write_text(text)
    with pytest.raises(MappingUnusable, match=sentence):
        list(open_table(path, inner=inner).rows({"n"}))


def test_a_rule_that_is_no_path_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<a/>")
    with pytest.raises(MappingUnusable, match=r"'n\[' is no XPath expression"):
        list(open_table(path).rows({"n["}))


def test_a_file_too_large_to_be_read_whole_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<a/>")
    monkeypatch.setattr(xml_records, "MAX_BYTES", 3)
    with pytest.raises(MappingUnusable, match="is larger than 0 MiB: split it"):
        list(open_table(path).rows({"n"}))


def test_a_mapping_is_proposed_from_the_names_of_elements(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(
        "<oai_dc:dc xmlns:oai_dc='http://www.openarchives.org/OAI/2.0/oai_dc/' "
        "xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>A plate</dc:title>"
        "<dc:identifier>M-1</dc:identifier><dc:creator>A. One</dc:creator>"
        "<dc:rights>CC0</dc:rights></oai_dc:dc>"
    )
    text = propose(path, MasterFiles("scans", ()), "scans")
    assert 'identifier = "{//identifier}"' in text
    assert 'label = "{//title}"' in text
    assert 'rights = "{//rights}"' in text


def test_a_prefix_that_is_not_declared_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<dc:record><dc:title x:lang='en'>A plate</dc:title></dc:record>")
    (row,) = open_table(path).rows({"title", "title/@lang"})
    assert row.values == {"title": ["A plate"], "title/@lang": ["en"]}


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("lido:title", "cannot be used: Undefined namespace prefix; leave prefixes out"),
        ("string-join(title)", "cannot be used: Unregistered function"),
        ("count('x')", "cannot be used"),
    ],
)
def test_a_path_that_cannot_be_calculated_is_named(
    tmp_path: Path, rule: str, sentence: str
) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<a/>")
    with pytest.raises(MappingUnusable, match=sentence):
        list(open_table(path).rows({rule}))
    with pytest.raises(MappingUnusable, match=sentence):
        list(open_table(path, inner=rule).rows(set()))
