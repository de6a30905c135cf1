import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from capacity.cli import build_app
from capacity.validation.microscope import published_tables as published

HERE = ("--workers", "1")
"""Unit tests start no processes."""


@pytest.fixture(autouse=True)
def _short_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published, "REQUESTS_PER_CLIENT", 5)


@pytest.mark.slow
def test_the_microscope_prints_one_json_document_and_writes_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = ("--replications", "2", "--sensitivity", "0", "--profile", "printed", "--json")
    files = ("--html", str(page), "--results", str(tmp_path))
    result = CliRunner().invoke(build_app(), ["validate", "microscope", *options, *files, *HERE])
    assert result.exit_code == 0
    run = json.loads(result.stdout)
    assert len(run["cells"]) == 42
    assert run["profile"]["name"] == "printed"
    assert page.read_text().count("<svg") == 5
    saved = next(tmp_path.glob("*-capacity-microscope-printed/run.json"))
    assert json.loads(saved.read_text()) == run


def test_an_unknown_profile_is_wrong_usage() -> None:
    result = CliRunner().invoke(build_app(), ["validate", "microscope", "--profile", "guessed"])
    assert result.exit_code == 2
    assert "printed, fitted" in result.stderr
