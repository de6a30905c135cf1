"""docs/howto/ingest-in-memory.md, followed to the letter."""

import re
from pathlib import Path

import pytest
import pyvips

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/howto/ingest-in-memory.md").read_text()
[EXAMPLE] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reader's folder, which is current."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_example_publishes_a_master(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = pyvips.Image.xyz(600, 400).extract_band(0).cast("uchar")
    image.tiffsave(str(folder / "night watch.tif"))
    exec(EXAMPLE, {})
    assert capsys.readouterr().out == "published \n"
    access_master = pyvips.Image.new_from_file(str(folder / "night watch.access.tif"))
    assert (access_master.width, access_master.height) == (600, 400)


def test_the_example_prints_why_a_master_is_rejected(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "night watch.tif").write_text("Dear colleague")
    exec(EXAMPLE, {})
    assert re.fullmatch(r"rejected [A-Z].*\.\n", capsys.readouterr().out)
    assert not (folder / "night watch.access.tif").exists()
