"""One file decides how the site looks, and says what is wrong with it."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.unit.catalogue.object_bench import BASE, ObjectBench, book
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import ThemeRefused
from vitrine.site.pages.about_page import write_about_pages
from vitrine.site.pages.stored_theme import (
    keep_theme,
    load_theme,
    replace_theme,
    store_theme,
)
from vitrine.site.pages.strings import LANGUAGES, strings, write_number
from vitrine.site.pages.theme import DEFAULT, contrast, read_theme
from vitrine.store.site_layout import STORED_THEME

TEXT = DEFAULT.read_text()


def changed(folder: Path, old: str, new: str) -> Path:
    assert old in TEXT
    path = folder / "theme.toml"
    path.write_text(TEXT.replace(old, new, 1))
    return path


def link(
    label: str = '{en = "Imprint", de = "Impressum"}',
    address: str = '{en = "https://museum.example/imprint"}',
) -> str:
    return f"[[links]]\nlabel = {label}\naddress = {address}\n[light]"


def test_the_packages_own_theme_is_a_theme() -> None:
    assert read_theme(DEFAULT).name == "Vitrine"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('name = "Vitrine"', 'name = " "', "has a name"),
        ('["en"]', '["tlh"]', "tlh is no language of the site: there are en, de, fr"),
        ('["en"]', '["en", "en"]', "each once"),
        ('logo = ""', 'logo = "logo.svg"', "no file logo.svg next to it"),
        ('logo = ""', 'logo = "logo.exe"', "an SVG or PNG file"),
        ('licence_page = ""', 'licence_page = "javascript:1"', "no address"),
        ('ink = "#24211d"', 'ink = "red"', "light.ink is no colour"),
        ('quiet = "#a9a194"', 'quiet = "#555555"', "dark.quiet on dark.wall has a contrast of"),
        ("headings = '", "headings = 'a; } x {", "no list of names of fonts"),
        ("headings = '", "headings = '\"", "no list of names of fonts"),
        ("text = '", "text = 'One, , Two, ", "no list of names of fonts"),
        ("[light]", link(label='{de = "Impressum"}'), "link 1 has no label in .*, en"),
        ("[light]", link(label='{tlh = "x", en = "y"}'), "link 1: tlh is no language"),
        ("[light]", link(address='{en = "javascript:1"}'), "link 1: javascript:1 is no address"),
        ("[light]", link().removesuffix("[light]") * 13 + "[light]", "at most 12 links"),
        ("[fonts]", "[font]", "`font`"),
        ("[fonts]", "[fonts", "no TOML file"),
    ],
)
def test_what_is_wrong_with_a_theme_is_said(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    with pytest.raises(ThemeRefused, match=reason):
        read_theme(changed(tmp_path, old, new))


def test_every_page_ends_with_the_themes_links(tmp_path: Path) -> None:
    bench = ObjectBench("one", "two", "three")
    contact = link('{en = "Contact"}', '{en = "mailto:a@museum.example"}')
    path = changed(tmp_path, "[light]", link().replace("[light]", contact))
    path.write_text(path.read_text().replace('["en"]', '["en", "de"]'))
    store_theme(bench.site, path)
    bench.objects.put(book())
    german = bench.site.get("objects/book/de")[0].decode()
    assert '<li><a href="https://museum.example/imprint">Impressum</a></li>' in german
    assert '<li><a href="mailto:a@museum.example">Contact</a></li>' in german


def test_a_theme_that_is_not_there_or_is_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ThemeRefused, match="cannot be read"):
        read_theme(tmp_path / "none.toml")
    (tmp_path / "long.toml").write_text("#" * 100_001)
    with pytest.raises(ThemeRefused, match="100,000 bytes"):
        read_theme(tmp_path / "long.toml")


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_a_stored_theme_is_the_one_that_pages_are_written_in(tmp_path: Path) -> None:
    bench = ObjectBench("one", "two", "three")
    (tmp_path / "mark.svg").write_text("<svg/>")
    path = changed(tmp_path, 'logo = ""', 'logo = "mark.svg"')
    path.write_text(
        path.read_text().replace('"Vitrine"', '"Museum & Co"').replace('["en"]', '["de", "fr"]')
    )
    theme = store_theme(bench.site, path)
    assert load_theme(bench.site) == theme
    assert bench.site.get("theme/logo.svg")[0] == b"<svg/>"
    bench.objects.put(book())
    german = bench.site.get("objects/book")[0].decode()
    french = bench.site.get("objects/book/fr")[0].decode()
    assert '<html lang="de">' in german
    assert "Museum &amp; Co" in german
    assert "Télécharger" in french
    assert f'hreflang="fr" href="{BASE}/objects/book/fr"' in german
    assert "<h1 " not in german
    assert '<span lang="en">A book</span>' in french


def test_colours_and_fonts_reach_the_stylesheet() -> None:
    store = MemoryObjectStore()
    store_theme(store, DEFAULT)
    css = store.get("theme/theme.css")[0].decode()
    assert "--ink: light-dark(#24211d, #ece7dd);" in css
    assert "--serif: " in css


def test_the_page_about_the_site_has_the_themes_paragraphs() -> None:
    page, *_ = write_about_pages(read_theme(DEFAULT), BASE)
    assert page.key == "about"
    first = read_theme(DEFAULT).about["en"].strip().split("\n\n")[0]
    assert f'name="description" content="{first}"' in page.body.decode()
    assert page.body.decode().count("<p>") == 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_things(language: str) -> None:
    assert strings(language).keys() == strings("en").keys()
    for name, text in strings(language).items():
        assert ("{" in text) == ("{" in strings("en")[name]), name


def test_thousands_are_written_as_the_language_does() -> None:
    assert [write_number(1_234, one) for one in LANGUAGES] == ["1,234", "1.234", "1\u202f234"]


def test_the_stored_theme_names_its_logo_as_the_site_has_it(tmp_path: Path) -> None:
    logo = tmp_path / "Ödland 100%" / "Museum.SVG"
    logo.parent.mkdir()
    logo.write_text("<svg/>")
    store = MemoryObjectStore()
    store_theme(store, changed(tmp_path, 'logo = ""', f'logo = "{logo}"'))
    assert load_theme(store).logo == "logo.svg"
    bodies = [store.get(entry.key)[0] for entry in store.list_keys().entries]
    assert b"<svg/>" in bodies
    assert not [body for body in bodies if "Ödland".encode() in body]


def test_a_site_knows_all_languages_that_it_once_had(tmp_path: Path) -> None:
    store = MemoryObjectStore()
    for languages in ('["en", "de"]', '["en"]', '["fr", "en"]'):
        path = changed(tmp_path, 'languages = ["en"]', f"languages = {languages}")
        theme = store_theme(store, path)
    assert theme.dropped_suffixes == ("de",)
    assert keep_theme(store) == theme


def test_no_file_says_which_languages_a_site_once_had(tmp_path: Path) -> None:
    with pytest.raises(ThemeRefused, match="unknown field"):
        read_theme(changed(tmp_path, "languages =", 'dropped_suffixes = ["de"]\nlanguages ='))


def test_of_two_themes_at_once_the_later_one_knows_the_languages_of_the_other() -> None:
    store = MemoryObjectStore()
    german, french = (
        msgspec.structs.replace(read_theme(DEFAULT), languages=("en", one)) for one in ("de", "fr")
    )
    put, done = store.put, []

    def overtaken(key: str, *args: Any, **how: Any) -> Any:
        if key == STORED_THEME and not done:
            done.append(key)
            replace_theme(store, german.replacing)
        return put(key, *args, **how)

    store.put = overtaken  # type: ignore[method-assign]
    assert replace_theme(store, french.replacing).dropped_suffixes == ("de",)


FONT = """[[font_files]]
family = "{family}"
file = "{file}"
weight = "{weight}"
"""


def with_font(
    folder: Path, body: bytes | None = b"wOF2\0", family: str = "Museum Serif", **changes: str
) -> Path:
    """Write a theme with a font of this content next to it."""
    rules = {"file": "serif.woff2", "weight": "100 900", **changes}
    path = folder / "theme.toml"
    path.write_text(TEXT + FONT.format(family=family, **rules))
    if body is not None:
        (folder / "serif.woff2").write_bytes(body)
    return path


def test_a_font_of_the_institution_comes_from_the_site(tmp_path: Path) -> None:
    site = MemoryObjectStore()
    theme = store_theme(site, with_font(tmp_path))
    assert site.get("theme/serif.woff2")[0] == b"wOF2\0"
    style = site.get("theme/theme.css")[0].decode()
    assert 'font-family: "Museum Serif"; src: url("/theme/serif.woff2")' in style
    page = write_about_pages(theme, BASE)[0].body.decode()
    assert 'href="/theme/serif.woff2" as="font"' in page


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"body": None}, "there is no file serif.woff2 next to it."),
        ({"body": b"wOFF"}, "serif.woff2 is no WOFF2 file."),
        ({"body": b"wOF2" + b"x" * 500_000}, "more than 500,000 bytes"),
        ({"family": "A;"}, "is no name of a font"),
        ({"file": "../serif.woff2"}, "is no name of a WOFF2 file"),
        ({"file": "serif.ttf"}, "is no name of a WOFF2 file"),
        ({"weight": "bold"}, "is no weight of a font"),
    ],
)
def test_a_font_that_cannot_be_used_is_refused(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ThemeRefused) as refused:
        read_theme(with_font(tmp_path, **changes))
    assert reason in str(refused.value)
