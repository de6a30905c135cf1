"""An address that never was one is answered in the site's languages, with its logo."""

from pathlib import Path

from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.edge.missing_page import MISSING_PAGE
from vitrine.site.pages.missing_page import write_missing_pages
from vitrine.site.pages.stored_theme import store_theme
from vitrine.site.pages.theme import DEFAULT, Theme

MAX_BYTES = 1_024
"""Bytes of a fixed answer of a balancer (Elastic Load Balancing, FixedResponseActionConfig)."""


def themed(folder: Path, *languages: str) -> Theme:
    (folder / "logo.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    text = DEFAULT.read_text().replace('["en"]', str(list(languages)), 1)
    (folder / "theme.toml").write_text(text.replace('logo = ""', 'logo = "logo.svg"', 1))
    store = MemoryObjectStore()
    theme = store_theme(store, folder / "theme.toml")
    assert '--logo: url("/theme/logo.svg");' in store.get("theme/theme.css")[0].decode()
    return theme


def test_there_is_a_page_in_each_language_with_logo_and_search(tmp_path: Path) -> None:
    files = write_missing_pages(themed(tmp_path, "de", "fr"), "https://images.example.org")
    pages = {one.key: one.body.decode() for one in files if not one.is_replacement}
    assert {key: page.partition("<h1>")[2].partition("<")[0] for key, page in pages.items()} == {
        "missing": "Hier gibt es keine Seite",
        "missing/fr": "Il n\u2019y a pas de page ici",
    }
    for page in pages.values():
        assert '<img class="logo" src="/theme/logo.svg" alt="">' in page
        assert 'content="noindex"' in page
        assert 'role="search"' in page


def test_the_bare_page_fits_a_balancer_and_says_so_in_all_languages_of_the_site() -> None:
    assert len(MISSING_PAGE.encode("ascii")) <= MAX_BYTES
    for text in ('lang="en"', 'lang="de"', 'lang="fr"', 'src="/missing/missing.js"'):
        assert text in MISSING_PAGE
    assert "'" not in MISSING_PAGE, "the local edge writes it between these signs"
