"""The documentation says what is there."""

import re
from pathlib import Path

import pytest
import typer.testing

from vitrine.cli import build_app
from vitrine.settings_page import settings_page

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
TOP_LEVEL = "vitrine|stacks|lambdas|layers|containers|loadtest|tests|docs|site|scripts|requirements"
PATH = re.compile(rf"^(?:{TOP_LEVEL})(?:/[\w.-]+)+/?$")
COMMAND = re.compile(r"(?:\.venv/bin/|`)vitrine ([a-z]+)")


def test_the_page_of_settings_is_what_the_settings_say() -> None:
    assert (ROOT / "docs/reference/settings.md").read_text() == settings_page()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    missing = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_named_is_there(page: Path) -> None:
    named = [path for path in CODE.findall(page.read_text()) if PATH.match(path)]
    assert not [path for path in named if not (ROOT / path).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_named_is_there(page: Path) -> None:
    commands = set(COMMAND.findall(page.read_text()))
    known = typer.testing.CliRunner().invoke(build_app(), ["--help"]).output
    assert not [command for command in commands if not re.search(rf"\b{command}\b", known)]
