"""`vitrine collection preview`: a page of objects as they would look, from local files alone."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
import pyvips

from tests.unit.cli.conftest import Run
from vitrine.cli.collection import preview as collection_preview
from vitrine.sources.mapping import preview as drawing

RULES = """
[collection]
identifier = "plates"
label = "Plates"
[source]
table = "plates.csv"
[object]
identifier = "{Number}"
label = {en = "{Title}"}
summary = "{Text}"
image = {value = "{File}", split = ";"}
alt_text = {value = "{Alt}", split = ";"}
[metadata]
"Maker" = "{Maker}"
"""
ROWS = """Number,Title,Text,File,Alt,Maker
M-1,A plate,<p><b>tin</b><script>alert(1)</script></p>,a.tif;turned.jpg,A plate,"One <b> Two"
M-2,Lost,,absent.tif,,
M-3,Broken,,broken.tif,,
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """A table of three objects and their files, one of them broken and one absent."""
    pyvips.Image.black(1_500, 1_000, bands=3).copy(interpretation="srgb").write_to_file(
        str(tmp_path / "a.tif")
    )
    turned = pyvips.Image.black(800, 600, bands=3).copy(interpretation="srgb")
    turned.set_type(pyvips.GValue.gint_type, "orientation", 6)
    turned.write_to_file(str(tmp_path / "turned.jpg"))
    (tmp_path / "broken.tif").write_bytes(b"II*\0broken")
    (tmp_path / "plates.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "collection.toml").write_text(RULES, encoding="utf-8")
    return tmp_path / "collection.toml"


def test_a_page_shows_objects_as_they_would_look(run_program: Run, rules: Path) -> None:
    result = run_program("collection", "preview", str(rules))
    assert result.exit_code == 0, result.stderr
    page = Path(result.stdout.strip())
    text = page.read_text(encoding="utf-8")
    assert "<b>tin</b>" in text
    assert "alert(1)" not in text
    assert "One &lt;b&gt; Two" in text
    assert text.count('<span class="bad">no alternative text') == 3
    pictures = re.findall(r'<img src="([^"]+)"', text)
    sizes = [pyvips.Image.new_from_file(str(page.parent / name)) for name in pictures]
    assert [(image.width, image.height) for image in sizes] == [(640, 427), (480, 640)]
    assert "there is no file of this image" in text
    assert "broken.tif cannot be shown" in text


def test_a_manifest_has_the_sizes_of_the_files(run_program: Run, rules: Path) -> None:
    run_program("collection", "preview", str(rules), "M-1")
    text = (rules.parent / "collection-preview/index.html").read_text(encoding="utf-8")
    (found,) = re.findall(r"<pre>(.*?)</pre>", text, re.DOTALL)
    manifest = json.loads(unescape(found))
    assert manifest["id"] == "https://images.example.org/presentation/3/M-1/manifest.json"
    sizes = [(canvas["width"], canvas["height"]) for canvas in manifest["items"]]
    assert sizes == [(1_500, 1_000), (600, 800)]


def test_objects_are_chosen_by_name_and_a_missing_one_is_named(
    run_program: Run, rules: Path, tmp_path: Path
) -> None:
    into = tmp_path / "elsewhere/page"
    result = run_program("collection", "preview", str(rules), "M-3", "9", "--into", str(into))
    assert result.exit_code == 1
    assert 'There is no object "9" to show' in result.stderr
    text = (into / "index.html").read_text(encoding="utf-8")
    assert ("<h2>Broken</h2>" in text, "<h2>A plate</h2>" in text) == (True, False)


def test_without_names_the_first_are_shown(
    run_program: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection_preview, "FIRST", 1)
    run_program("collection", "preview", str(rules))
    text = (rules.parent / "collection-preview/index.html").read_text(encoding="utf-8")
    assert text.count("<article") == 1


def test_of_a_long_book_the_first_pages_are_drawn(
    run_program: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "MAX_VIEWS", 1)
    run_program("collection", "preview", str(rules), "M-1")
    text = (rules.parent / "collection-preview/index.html").read_text(encoding="utf-8")
    assert text.count("<img") == 1
    assert '<p class="about">turned</p>' in text


def test_pictures_of_a_preview_are_no_masters(run_program: Run, rules: Path) -> None:
    run_program("collection", "preview", str(rules))
    table = rules.parent / "plates.csv"
    assert (rules.parent / "collection-preview/2-0.jpg").exists()
    table.write_text(table.read_text().replace("absent.tif", "2-0.jpg"))
    assert "there is no image '2-0.jpg'" in run_program("collection", "check", str(rules)).stdout
