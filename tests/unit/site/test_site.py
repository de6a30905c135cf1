"""The page arrives whole, typed, and index.html last."""

import gzip
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.ports import ObjectInfo
from vitrine.site.home_list import HomeLists
from vitrine.site.llms_txt import write_llms_txt
from vitrine.site.pages.theme import DEFAULT, read_theme
from vitrine.site.static_files import publish_site, write_robots

SITE = Path(__file__).parents[3] / "site"
NAMES = "http://(www.w3.org/2000/svg|iiif.io/api/image)"
"""Strings that look like addresses in our files, and are never asked for."""
FILES = [path for path in SITE.rglob("*") if path.is_file()]
BASE = "https://images.example.org"
ROBOTS = write_robots(BASE, "allow")


class RecordingStore(MemoryObjectStore):
    """A bucket that remembers how each object was put, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.puts: dict[str, dict[str, Any]] = {}

    def put(self, key: str, body: bytes, **how: Any) -> ObjectInfo:
        self.puts[key] = how
        return super().put(key, body, **how)


@pytest.fixture
def viewer(tmp_path: Path) -> Path:
    (tmp_path / "openseadragon.min.js").write_text("//! a viewer")
    (tmp_path / "openseadragon.js.map").write_text("what the page does not load")
    return tmp_path


@pytest.fixture
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("others")
    names = ("mirador/mirador.min.js", "universalviewer/uv.css", "universalviewer/umd/UV.js")
    for name in (*names, "mirador/LICENSE.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("// of others")
    return folder


@pytest.fixture
def store(viewer: Path, others: Path) -> RecordingStore:
    store = RecordingStore()
    assert publish_site(store, SITE, viewer, others, ROBOTS, BASE) == len(store.puts)
    return store


def test_every_file_of_the_page_is_put_unchanged(store: RecordingStore) -> None:
    for path in FILES:
        assert store.get(path.relative_to(SITE).as_posix())[0] == path.read_bytes()


def test_every_address_the_page_loads_is_put(store: RecordingStore) -> None:
    loaded = set()
    texts = [path.read_text() for path in FILES]
    for text in (*texts, *(store.get(key)[0].decode() for key in ("index.html", "about"))):
        loaded.update(re.findall(r"""["']/([\w/.-]+\.(?:js|css|svg))["']""", text))
    assert loaded >= {"style.css", "theme/theme.css", "openseadragon/openseadragon.min.js"}
    assert loaded <= set(store.puts)


def test_the_page_comes_after_what_it_needs(store: RecordingStore) -> None:
    assert list(store.puts)[-1] == "index.html"


def test_a_new_site_has_the_lists_that_its_first_page_names(store: RecordingStore) -> None:
    assert json.loads(store.get("gallery.json")[0]) == asdict(HomeLists())
    assert gzip.decompress(store.get("data/objects.jsonl.gz")[0]) == b""


def test_types_are_what_browsers_insist_on(store: RecordingStore) -> None:
    types = {key: how["content_type"] for key, how in store.puts.items()}
    assert types["index.html"] == "text/html; charset=utf-8"
    assert types["openseadragon/openseadragon.min.js"] == "text/javascript; charset=utf-8"
    assert types["about"] == "text/html; charset=utf-8"
    assert types["style.css"] == "text/css; charset=utf-8"
    assert types["icon.svg"] == "image/svg+xml"


def test_files_of_the_page_age_together_and_the_viewer_slower(store: RecordingStore) -> None:
    ages = {key: how["cache_control"] for key, how in store.puts.items()}
    slow = [key for key in ages if re.match(r"openseadragon/|viewers/\w+/", key)]
    assert len(slow) == 5
    assert {ages.pop(key) for key in slow} == {"public, max-age=86400"}
    for key in ("index.html", "gallery.json"):
        assert ages.pop(key) == "public, max-age=5", "what was published is seen at once"
    assert set(ages.values()) == {"public, max-age=60"}


def test_the_desk_and_its_configuration_are_put_where_there_is_one(
    tmp_path: Path, viewer: Path, others: Path
) -> None:
    site = tmp_path / "site"
    for name in ("style.css", "desk/index.html", "desk/desk.js"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text("")
    bare, store = RecordingStore(), RecordingStore()
    publish_site(bare, site, viewer, others, ROBOTS, BASE)
    assert not [key for key in bare.puts if key.startswith("desk/")]
    desk = {"api": "/api"}
    assert publish_site(store, site, viewer, others, ROBOTS, BASE, desk=desk) == len(store.puts)
    names = {"desk/index.html", "desk/desk.js", "desk/config.json"}
    assert store.puts.keys() - bare.puts.keys() == names
    assert json.loads(store.get("desk/config.json")[0]) == desk
    assert store.puts["desk/config.json"]["content_type"] == "application/json; charset=utf-8"


def test_nothing_is_put_when_the_viewer_is_not_installed(tmp_path: Path, others: Path) -> None:
    store = RecordingStore()
    with pytest.raises(FileNotFoundError, match=r"openseadragon\.min\.js"):
        publish_site(store, SITE, tmp_path, others, ROBOTS, BASE)
    assert not store.puts


def test_nothing_is_put_when_a_type_is_unknown(tmp_path: Path, viewer: Path, others: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "style.css").write_text("")
    (site / "notes.xyz").write_text("?")
    store = RecordingStore()
    with pytest.raises(ValueError, match=r"\.xyz"):
        publish_site(store, site, viewer, others, ROBOTS, BASE)
    assert not store.puts


def test_the_page_asks_nothing_of_other_hosts() -> None:
    for path in FILES:
        text = re.sub(NAMES, "", path.read_text())
        assert not re.search(r"""https?://|["'(]//""", text), path.name


@pytest.mark.parametrize(
    ("path", "may"),
    [
        ("/", True),
        ("/iiif/3/painting/info.json", True),
        ("/iiif/3/painting/full/max/0/default.jpg", True),
        ("/iiif/3/painting/full/!400,400/0/default.jpg", True),
        ("/iiif/3/painting/0,0,256,256/256,256/0/default.jpg", False),
        ("/presentation/3/book/manifest.json", True),
        ("/presentation/3/book/text.txt", True),
        ("/presentation/3/book/object.pdf", False),
        ("/iiif/2/a%2Fb/512,0,512,512/256,/0/default.jpg", False),
    ],
)
def test_crawlers_may_index_whole_images_and_no_tiles(path: str, may: bool) -> None:
    lines = ROBOTS.splitlines()
    rules = [line.removeprefix("Disallow: ") for line in lines if line.startswith("Disallow")]
    # RFC 9309, section 2.2.3: a rule is a prefix in which * stands for anything.
    barred = any(re.match(re.escape(rule).replace(r"\*", ".*"), path) for rule in rules)
    assert barred is not may


def test_robots_name_the_sitemap_and_the_dumps(store: RecordingStore) -> None:
    written = store.get("robots.txt")[0].decode()
    for name in ("sitemap.xml", "browse/sitemap.xml"):
        assert f"Sitemap: https://images.example.org/{name}" in written.splitlines()
    assert "https://images.example.org/data/objects.jsonl.gz" in written


def test_llms_txt_leads_programs_to_what_there_is(store: RecordingStore) -> None:
    written = store.get("llms.txt")[0].decode()
    # https://llmstxt.org: a title, a summary, and lists of links under headings.
    title, _, summary, *_ = lines = written.splitlines()
    assert title.startswith("# ")
    assert summary.startswith("> ")
    assert [line[3:] for line in lines if line.startswith("## ")] == [
        *("Find objects", "Take everything", "Optional")
    ]
    links = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", written, re.MULTILINE)
    assert f"{BASE}/data/objects.jsonl.gz" in links
    assert all(link.startswith(f"{BASE}/") for link in links)
    assert "/mcp" not in written
    assert f"]({BASE}/mcp)" in write_llms_txt(read_theme(DEFAULT), BASE, has_mcp=True)


def test_crawlers_may_be_kept_out_of_everything() -> None:
    used = write_robots("https://images.example.org", "allow", "train-ai=n").splitlines()
    assert used[used.index("User-agent: *") + 1] == "Content-Usage: train-ai=n"
    assert write_robots("https://images.example.org", "deny").splitlines() == [
        "User-agent: *",
        "Disallow: /",
    ]


def test_a_theme_stays_until_another_one_is_published(
    tmp_path: Path, viewer: Path, others: Path
) -> None:
    store, theme = MemoryObjectStore(), tmp_path / "theme.toml"
    theme.write_text(DEFAULT.read_text().replace('"Vitrine"', '"A museum"'))
    publish_site(store, SITE, viewer, others, ROBOTS, BASE, theme)
    publish_site(store, SITE, viewer, others, ROBOTS, BASE)
    assert ">A museum</h1>" in store.get("index.html")[0].decode()
