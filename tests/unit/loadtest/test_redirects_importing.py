"""The file that an import is measured with, and where it may be measured."""

from pathlib import Path
from typing import Any

import pytest

from loadtest.studies.redirects.redirect_import_run import measure_import, write_file
from vitrine.errors import VitrineError
from vitrine.identify.redirects.csv_file import RedirectRow, read_rows


def test_every_tenth_row_leads_to_the_row_before_it(tmp_path: Path) -> None:
    path = tmp_path / "redirects.csv"
    write_file(path, 30, "former", "image")
    rows = list(read_rows(path))
    assert all(isinstance(row, RedirectRow) for row in rows)
    news = [row.new for row in rows]
    assert news.count("image") == 27
    assert news[9] == rows[8].old


def test_redirects_are_not_left_behind_in_a_deployed_environment() -> None:
    service: Any = type("Deployed", (), {"environment": "prod"})()
    with pytest.raises(VitrineError, match="only runs on one machine"):
        measure_import(service, 1, lambda line: None)
