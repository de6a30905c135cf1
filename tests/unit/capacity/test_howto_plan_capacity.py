"""docs/howto/plan-capacity.md, followed: its files written, its commands run, on less traffic."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from capacity.cli import build_app
from capacity.model.cost_profile import CostProfile
from capacity.plan import busy_stretch as stretch
from capacity.plan import growth

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/howto/plan-capacity.md").read_text()
FILES = re.findall(r"```toml\n# (\S+)\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()
]
FAST = ("--warm-days", "0", "--replications", "2", "--workers", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES:
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stretch, "MAX_VISITS", 3)
    monkeypatch.setattr(stretch, "MIN_VISITS_AN_HOUR", 3)
    monkeypatch.setattr(stretch, "MIN_HOURS", 1 / 3600)
    monkeypatch.setattr(growth, "MAX_VISITS", 0)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_does_what_the_page_says(folder: Path, command: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/vitrine-capacity"
    result = CliRunner().invoke(build_app(), [*arguments, *FAST])
    assert result.exit_code == 0, result.stderr
    if "--html" in arguments:
        assert "<svg" in (folder / arguments[arguments.index("--html") + 1]).read_text()


def test_every_sentence_of_the_table_is_one_of_the_code() -> None:
    code = "".join(path.read_text() for path in (ROOT / "capacity").rglob("*.py"))
    code = re.sub(r'"\s+f?"', "", code)
    table = PAGE.split("| sentence |")[1].split("\n\n")[0]
    for sentence in re.findall(r"^\| ([a-z].*?) \|", table, re.MULTILINE):
        for part in sentence.split(" … "):
            assert part.removesuffix(" …") in code, part


def test_every_number_that_is_assumed_is_named() -> None:
    table = PAGE.split("| of | assumed |")[1].split("\n\n")[0]
    origins = CostProfile.default().origins
    assumed = {name for name, origin in origins.items() if origin.startswith("assumed")}
    assert set(re.findall(r"`(\w+)`", table)) == assumed
