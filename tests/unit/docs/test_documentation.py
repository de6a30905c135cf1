"""The documentation says what is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
TOP_LEVEL = (
    "vitrine|rigs|loadtest|capacity|stacks|lambdas|layers|containers|tests|docs|site|scripts"
)
PATH = re.compile(rf"^(?:{TOP_LEVEL})(?:/[\w.-]+)+/?$")


def test_every_link_leads_somewhere() -> None:
    missing = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in PAGES
        for link in LINK.findall(page.read_text())
        if not (page.parent / link).exists()
    ]
    assert not missing


def test_every_path_named_is_there() -> None:
    missing = [
        f"{page.relative_to(ROOT)}: {path}"
        for page in PAGES
        for path in CODE.findall(page.read_text())
        if PATH.match(path) and not (ROOT / path).exists()
    ]
    assert not missing


def test_every_chart_is_small_and_shown_on_a_page() -> None:
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    charts = list((ROOT / "docs").rglob("*.svg"))
    shown = [path for path in charts if any(f"{path.name})" in page for page in pages)]
    assert charts == shown
    assert max(path.stat().st_size for path in charts) <= 40_000
