"""The file of rules: what it means, and what is said of one that cannot be used."""

from pathlib import Path

import pytest

from tests.unit.sources.mapping.made_tables import RULES
from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.mapping_reader import read_mapping


def read(folder: Path, text: str) -> object:
    path = folder / "collection.toml"
    path.write_text(text, encoding="utf-8")
    return read_mapping(path)


def test_it_names_columns_and_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(RULES)
    mapping = read_mapping(tmp_path / "c.toml")
    assert (mapping.table, mapping.masters) == (tmp_path / "plates.csv", tmp_path / "scans")
    assert mapping.columns() == {
        *("Number", "Title", "File", "Alt", "Licence", "Year", "Credit", "Maker"),
    }
    assert mapping.texts["label"][0].language == "en"


def test_a_text_may_have_one_form_for_each_language(tmp_path: Path) -> None:
    text = RULES.replace('label = "{Title}"', 'label = {en = "{Title}", nl = "{Titel}"}')
    (tmp_path / "c.toml").write_text(text)
    pieces = read_mapping(tmp_path / "c.toml").texts["label"]
    assert [(piece.language, piece.template.columns) for piece in pieces] == [
        ("en", ("Title",)),
        ("nl", ("Titel",)),
    ]


def test_a_line_of_metadata_may_be_a_facet(tmp_path: Path) -> None:
    lines = """
    "Place" = {value = "{Title}", facet = true}
    "Year" = {label = {en = "Year", nl = "Jaar"}, en = "{Year}", nl = "{Year}", facet = true}
    "Gift" = {value = "{Credit}", facet = false}
    """
    (tmp_path / "c.toml").write_text(RULES + lines)
    metadata = read_mapping(tmp_path / "c.toml").metadata
    assert [next(iter(one.label.values())) for one in metadata if one.facet] == ["Place", "Year"]
    assert [piece.language for piece in metadata[2].value] == ["en", "nl"]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[collection]", "[museum]", "museum: there is no such section"),
        ("[source]", "[source", "is not TOML"),
        ('table = "plates.csv"', "", "source.table: is missing"),
        ('identifier = "{Number}"', "", "object.identifier: is missing"),
        ('identifier = "{Number}"', "identifier = 7", "object.identifier: is not a text in quotes"),
        ('label = "{Title}"', 'titles = "{Title}"', "object.titles: there is no such rule"),
        ('label = "{Title}"', 'label = "{Title"', "object.label: '{Title' has a brace"),
        ('label = "{Title}"', "label = []", "object.label: is a text such as"),
        ('split = ";"}\nalt', 'splitt = ";"}\nalt', "object.image.splitt: there are value, split"),
        ('identifier = "plates"', 'identifier = "manifest"', "collection.identifier: "),
        ('label = "Plates"', 'label = ""', "collection.label: a text is missing"),
        (
            '"Maker" = {value',
            '"Maker" = {facet = "yes", value',
            'metadata."Maker".facet: is true or false, without quotes.',
        ),
        (', value = "{Credit}"}', "}", "object.required_statement: has a label and a value"),
    ],
)
def test_what_is_wrong_with_it_is_said_with_its_place(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    assert old in RULES
    with pytest.raises(MappingUnusable) as raised:
        read(tmp_path, RULES.replace(old, new))
    assert sentence in str(raised.value)
