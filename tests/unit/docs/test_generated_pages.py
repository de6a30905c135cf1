"""Generated files are current: `make docs` writes them."""

from pathlib import Path

import pytest

from docs.build.__main__ import GENERATED, write_pages
from docs.build.saved_runs import ROOT

pytestmark = pytest.mark.slow


def test_every_generated_file_is_current() -> None:
    old = [
        path
        for path, write in GENERATED.items()
        if (ROOT / path).read_text(encoding="utf-8") != write()
    ]
    assert not old, "run `make docs`"


def test_some_pages_can_be_written_without_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docs.build.__main__.ROOT", tmp_path)
    assert write_pages(["settings", "rejections"]) == [
        "docs/reference/rejections.md",
        "docs/reference/settings.md",
    ]
    assert (tmp_path / "docs/reference/settings.md").read_text().startswith("# Settings")
