"""Rules go into a spreadsheet and come back as they were."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.sources.mapping.made_tables import RULES
from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.rules_table import read_table, write_table

PAGE = Path(__file__).parents[4] / "docs/reference/collection-file.md"


def back(folder: Path, text: str) -> dict[str, object]:
    rules, table = folder / "rules.toml", folder / "rules.csv"
    rules.write_text(text, encoding="utf-8")
    table.write_text(write_table(rules), encoding="utf-8-sig", newline="")
    return tomllib.loads(read_table(table))


@pytest.mark.parametrize("text", [RULES, PAGE.read_text().split("```toml\n")[1].split("```")[0]])
def test_rules_come_back_as_they_were(tmp_path: Path, text: str) -> None:
    assert back(tmp_path, text) == tomllib.loads(text)


def test_a_row_is_a_place_and_a_value(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[object]\nlabel = {en = "{Title}"}\n[metadata]\n"Date, place" = "=x"\n')
    assert write_table(rules).splitlines() == [
        "rule,value",
        "object / label / en,{Title}",
        '"metadata / Date, place",\'=x',
    ]


def test_what_is_true_or_false_comes_back_as_that_and_not_as_a_text(tmp_path: Path) -> None:
    text = '[metadata]\n"Maker" = {value = "{Maker}", facet = true}\n"facet" = "true"\n'
    assert back(tmp_path, text) == tomllib.loads(text)
    (tmp_path / "excel.csv").write_text("rule,value\nmetadata / Maker / facet,TRUE\n")
    assert "facet = true" in read_table(tmp_path / "excel.csv")
    (tmp_path / "excel.csv").write_text("rule,value\nobject / page_before_images,TRUE\n")
    assert "page_before_images = true" in read_table(tmp_path / "excel.csv")


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"])).map(str.strip).filter(bool)


@given(label=TEXTS.filter(lambda text: " / " not in text), value=TEXTS)
def test_any_label_and_value_come_back(
    tmp_path_factory: pytest.TempPathFactory, label: str, value: str
) -> None:
    from vitrine.sources.mapping import rules_table

    text = "\n".join(rules_table._sections({"metadata": {label: value}}))
    assert tomllib.loads(text) == {"metadata": {label: value}}
    assert back(tmp_path_factory.mktemp("rules"), text) == {"metadata": {label: value}}


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("a,b\n1,2\n", "has no column rule and no column value"),
        ("rule,value\nobject,x\n", "row 2: 'object' is no place of a rule"),
        ("rule,value\nobject / ,x\n", "is no place of a rule"),
        ("rule,value\na / b,x\na / b,y\n", "row 3: 'a / b' repeats a row above"),
        ("rule,value\na / b,x\na / b / c,y\n", "row 3: a row above gives 'b' a value"),
        ("rule,value\na / b,x,y\n", "row 2: it has 3 cells, the header 2"),
    ],
)
def test_a_table_that_makes_no_rules_names_the_row(
    tmp_path: Path, table: str, sentence: str
) -> None:
    path = tmp_path / "rules.csv"
    path.write_text(table)
    with pytest.raises(MappingUnusable, match=sentence):
        read_table(path)


def test_a_label_with_a_slash_is_refused(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[metadata]\n"Date / place" = "x"\n')
    with pytest.raises(MappingUnusable, match="has a slash between spaces"):
        write_table(rules)
