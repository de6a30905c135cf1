"""The documentation says what is there."""

import re
from pathlib import Path

import pytest
import typer.testing

import capacity.cli
import loadtest.cli
import vitrine.cli

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
TOP_LEVEL = "vitrine|loadtest|capacity|stacks|lambdas|layers|containers|tests|docs|site|scripts"
PATH = re.compile(rf"^(?:{TOP_LEVEL})(?:/[\w.-]+)+/?$")
COMMAND = re.compile(r"(?:\.venv/bin/|`)(vitrine|vitrine-loadtest|vitrine-capacity) ([a-z]+)")
PROGRAMS = {
    "vitrine": vitrine.cli.build_app,
    "vitrine-loadtest": loadtest.cli.build_app,
    "vitrine-capacity": capacity.cli.build_app,
}
HISTORY = "CHANGELOG.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    missing = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_named_is_there(page: Path) -> None:
    named = [path for path in CODE.findall(page.read_text()) if PATH.match(path)]
    assert not [path for path in named if not (ROOT / path).exists()]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != HISTORY], ids=lambda page: page.name
)
def test_every_command_named_is_there(page: Path) -> None:
    commands = set(COMMAND.findall(page.read_text()))
    known = {
        program: typer.testing.CliRunner().invoke(build_app(), ["--help"]).output
        for program, build_app in PROGRAMS.items()
    }
    assert not [
        (program, command)
        for program, command in commands
        if not re.search(rf"\b{command}\b", known[program])
    ]
