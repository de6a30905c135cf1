"""docs/howto/rename-or-withdraw-an-image.md, followed to the letter."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from vitrine.bootstrap.deployment import Deployment
from vitrine.records import Live, Redirect

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/howto/rename-or-withdraw-an-image.md"
BLOCK = re.compile(r"^```\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_every_command_of_the_page_does_what_it_says(
    run: Any,
    service: Deployment,
    picture: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = tmp_path / "other.tif"
    other.write_bytes(picture.read_bytes())
    for file, identifier in ((picture, "SK-C-5"), (other, "SK-A-2344")):
        assert run("ingest", file, "--identifier", identifier).exit_code == 0
    monkeypatch.chdir(tmp_path)
    said = ""
    for block in BLOCK.findall(PAGE.read_text()):
        if block.startswith("old,new"):
            (tmp_path / "redirects.csv").write_text(block)
        elif block.startswith(".venv/bin/vitrine "):
            for line in block.splitlines():
                result = run(*shlex.split(line)[1:])
                assert result.exit_code == 0, (line, result.output)
                said += result.stdout
        else:
            assert block in said
    records = [service.identifiers.get(name) for name in ("SK-C-5", "SK-C-0005", "1985/17")]
    assert [type(record) for record in records] == [Live, Redirect, Redirect]
    assert (tmp_path / "redirects.csv").read_text().startswith("old,new,note,owner\n")
