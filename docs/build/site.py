"""How MkDocs builds the site of the documentation (`mkdocs.yml`)."""

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = ("docs/tutorial.md", "docs/flow.md", "docs/glossary.md")
FOLDERS = {
    "How to": "howto",
    "Reference": "reference",
    "Run books": "runbooks",
    "Explanations": "explanations",
    "Decisions": "adr",
}
"""Folders of docs/ by the titles of their parts of the site."""
LINKED = (
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "NOTICE"),
    "changes/README.md",
    *("environments.toml", "vitrine/costs/prices.csv"),
    *("docs", "results", ".github/workflows"),
)
"""Files that are pages or that pages link to, from the repository's root."""


def on_config(config: Any) -> Any:
    """Link what the site is made of into its folder, and order the pages by their folders."""
    source = Path(config.docs_dir)
    for name in LINKED:
        link = source / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(ROOT / name)
    config.nav = [
        {"Vitrine": "README.md"},
        {"Where to read": "docs/README.md"},
        {"Begin": list(PAGES)},
        *({title: _pages(folder)} for title, folder in FOLDERS.items()),
        {"Project": ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]},
    ]
    return config


def _pages(folder: str) -> list[str]:
    files = (ROOT / "docs" / folder).glob("*.md")
    # A README is the first page of its folder.
    ordered = sorted(files, key=lambda path: (path.stem != "README", path.stem))
    return [path.relative_to(ROOT).as_posix() for path in ordered]
