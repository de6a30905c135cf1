"""Whoever looks for a page finds it: in the index of docs/, or in that of its folder."""

from docs.build.saved_runs import ROOT

DOCS = ROOT / "docs"
INDEXES = ("README.md", "adr/README.md", "runbooks/README.md")


def test_every_page_is_linked_from_an_index() -> None:
    linked = {
        (DOCS / index).parent / part.partition(")")[0].partition("#")[0]
        for index in INDEXES
        for part in (DOCS / index).read_text().split("](")[1:]
    }
    pages = set(DOCS.rglob("*.md")) - {DOCS / INDEXES[0]}
    assert not {path.relative_to(DOCS).as_posix() for path in pages - linked}
