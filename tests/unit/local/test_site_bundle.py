"""The published site: few files, whole, small, and nothing of them written by a person twice."""

import gzip
import re
from pathlib import Path

import pytest

from vitrine.local.site_bundle import (
    DESK,
    SCRIPTS,
    SITE,
    STYLES,
    BundlingFailed,
    bundle_desk,
    bundle_site,
)
from vitrine.site.pages import rendering

PAGES = Path(rendering.__file__).with_name("templates")
MAX_BYTES = {"style.css": 6_000, "viewer/start.js": 1_500, "viewer/viewer.js": 16_000}
"""Bytes that a page loads, compressed: on a line of 1.6 Mbit/s, 5 ms each kilobyte."""

MAX_DESK_BYTES = 42_000


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle_site(SITE, tmp_path_factory.mktemp("bundled") / "site")


def test_the_modules_of_a_script_are_in_it(bundled: Path) -> None:
    found = {path.relative_to(bundled).as_posix() for path in bundled.rglob("*.js")}
    assert found == set(SCRIPTS)
    for name in SCRIPTS:
        text = (bundled / name).read_text()
        imported = re.findall(r"""(?:from|import)\s*\(?["']([^"']+)""", text)
        later = {"/similar/found.js", "/openseadragon/openseadragon.min.js"}
        later |= {f"/viewer/{one}.js" for one in ("viewer", "texts", "objects")}
        assert set(imported) <= later


def test_the_one_style_sheet_has_the_viewer_s(bundled: Path) -> None:
    text = (bundled / "style.css").read_text()
    assert ".viewer" in text
    assert "@import" not in text


@pytest.mark.parametrize("name", sorted(MAX_BYTES))
def test_what_a_page_loads_is_small(bundled: Path, name: str) -> None:
    assert len(gzip.compress((bundled / name).read_bytes(), 6)) <= MAX_BYTES[name]


def test_other_files_are_published_as_they_are(bundled: Path) -> None:
    for path in SITE.rglob("*"):
        if path.is_file() and path.suffix not in {".js", ".css"}:
            assert (bundled / path.relative_to(SITE)).read_bytes() == path.read_bytes()


def test_every_script_and_style_sheet_that_pages_name_is_published(bundled: Path) -> None:
    text = "".join(path.read_text() for path in PAGES.glob("*.html"))
    named = set(re.findall(r'"/([\w/.-]+\.(?:js|css))"', text)) - {"theme/theme.css"}
    assert named
    assert all((bundled / name).is_file() for name in named)


def test_the_desk_is_small_and_loads_the_sign_in_later(tmp_path: Path) -> None:
    desk = bundle_desk(DESK, tmp_path / "desk")
    script = (desk / "desk.js").read_bytes()
    assert len(gzip.compress(script, 6)) <= MAX_DESK_BYTES
    [later] = set(desk.glob("*.js")) - {desk / "desk.js"}
    assert f'import("./{later.name}")'.encode() in script


def test_the_page_of_the_desk_names_files_that_are_there(tmp_path: Path) -> None:
    bundle_desk(DESK, tmp_path / "desk")
    text = (tmp_path / "desk" / "index.html").read_text()
    named = set(re.findall(r'"/(desk/[\w.-]+)"', text))
    assert named == {"desk/desk.js", "desk/desk.css"}
    assert all((tmp_path / name).is_file() for name in named)


def test_a_module_that_is_missing_is_named(tmp_path: Path) -> None:
    for name in (*STYLES, *SCRIPTS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "viewer/viewer.js").write_text('import { none } from "./none.js"; none();')
    with pytest.raises(BundlingFailed, match=r"none\.js"):
        bundle_site(tmp_path, tmp_path / "out")
