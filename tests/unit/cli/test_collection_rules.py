"""Rules are edited in a spreadsheet, and a broken one changes nothing."""

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.sources.mapping.made_tables import GOOD, museum


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return museum(tmp_path, GOOD)


def test_an_edited_table_becomes_the_rules(run_program: Run, rules: Path, tmp_path: Path) -> None:
    table, before = tmp_path / "rules.csv", rules.read_text()
    assert run_program("collection", "export-rules", str(rules), str(table)).exit_code == 0
    table.write_text(table.read_text().replace("{Title}", "Plate: {Title}"))
    result = run_program("collection", "import-rules", str(table), str(rules))
    assert result.exit_code == 0, result.stderr
    assert 'label = "Plate: {Title}"' in rules.read_text()
    assert rules.with_name("collection.toml.before").read_text() == before
    assert run_program("collection", "check", str(rules)).exit_code == 0


def test_a_broken_table_changes_nothing(run_program: Run, rules: Path, tmp_path: Path) -> None:
    table, before = tmp_path / "rules.csv", rules.read_text()
    run_program("collection", "export-rules", str(rules), str(table))
    table.write_text(table.read_text().replace("collection / identifier", "collection / name"))
    result = run_program("collection", "import-rules", str(table), str(rules))
    assert result.exit_code == 2
    assert "collection.name: there is no such rule" in result.stderr
    assert rules.read_text() == before
    assert not rules.with_name("collection.toml.new").exists()


def test_a_table_is_not_overwritten(run_program: Run, rules: Path, tmp_path: Path) -> None:
    result = run_program("collection", "export-rules", str(rules), str(tmp_path / "plates.csv"))
    assert result.exit_code == 2
    assert "exists already" in result.stderr
