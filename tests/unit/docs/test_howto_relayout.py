"""docs/howto/relayout-existing-pyramids.md, followed to the letter."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import pyvips

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/howto/relayout-existing-pyramids.md").read_text()
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The reader's folder: the repository's programs, and pyramids, one of which is no pyramid."""
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/bin").symlink_to(Path(sys.executable).parent)
    image = pyvips.Image.gaussnoise(2000, 1500, seed=1).cast("uchar").bandjoin([20, 90])
    image = image.copy(interpretation="srgb")
    image.tiffsave(str(tmp_path / "old.tif"), tile=True, pyramid=True, compression="jpeg", Q=80)
    (tmp_path / "pyramids").mkdir()
    shutil.copy(tmp_path / "old.tif", tmp_path / "pyramids/a b.tif")
    (tmp_path / "pyramids/letter.tif").write_text("Dear colleague")
    return tmp_path


def run(folder: Path, block: str) -> str:
    command = ["sh", "-e", "-c", block]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.slow
def test_every_command_does_what_the_page_says(folder: Path) -> None:
    one, levels, many = BLOCKS
    assert re.fullmatch(
        r"new\.tif: the first [\d,]+ bytes hold all directories and indexes\n", run(folder, one)
    )
    widths = re.findall(r"Image Width: (\d+)", run(folder, levels))
    assert widths == ["2000", "1000", "500", "250", "125"]
    run(folder, many)
    assert [path.name for path in (folder / "relaid").iterdir()] == ["a b.tif"]
    assert (folder / "refused.txt").read_text() == "pyramids/letter.tif\n"
    old, new = (pyvips.Image.new_from_file(str(folder / name)) for name in ("old.tif", "new.tif"))
    assert np.array_equal(old.numpy(), new.numpy())


def test_every_sentence_of_the_table_begins_as_one_of_the_code() -> None:
    code = "".join(path.read_text() for path in (ROOT / "vitrine").rglob("*.py"))
    for sentence in re.findall(r"^\| ([A-Z].*?) \|", PAGE, re.MULTILINE):
        assert re.split(r" …| \d", sentence)[0] in code
