"""The documentation says what is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
TOP_LEVEL = "vitrine|loadtest|capacity|stacks|lambdas|layers|containers|tests|docs|site|scripts"
PATH = re.compile(rf"^(?:{TOP_LEVEL})(?:/[\w.-]+)+/?$")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    missing = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_named_is_there(page: Path) -> None:
    named = [path for path in CODE.findall(page.read_text()) if PATH.match(path)]
    assert not [path for path in named if not (ROOT / path).exists()]
