"""The page: its files are put into the site bucket, each with its type and cache lifetime."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore, VersionedStore
from vitrine.site.dumps.files import OBJECTS_JSONL
from vitrine.site.dumps.update import update_dumps
from vitrine.site.gallery import begin_list, write_home
from vitrine.site.llms_txt import write_llms_txt
from vitrine.site.pages.about_page import write_about_pages
from vitrine.site.pages.browse_page import Browsing
from vitrine.site.pages.facet_values import PLACE
from vitrine.site.pages.map_page import write_map_pages
from vitrine.site.pages.missing_page import write_missing_pages
from vitrine.site.pages.page_writer import put_changed
from vitrine.site.pages.search_page import write_search_pages
from vitrine.site.pages.stored_facets import read_facets
from vitrine.site.pages.stored_theme import keep_theme, store_theme

VIEWER_FOLDER = "openseadragon"
VIEWER_FILE = "openseadragon.min.js"
"""The one file of the viewer's package that the page loads; its first lines name its licence."""

CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}

PAGE_CACHE = "public, max-age=60"
"""One lifetime for all files of the page, so that old and new do not stay mixed after a release."""

VIEWER_CACHE = "public, max-age=86400"
OTHERS_FOLDER = "viewers"
"""Folder of the viewers of others, next to the pages in which they open an object."""
DESK_FOLDER = "desk"
DESK_CONFIG = f"{DESK_FOLDER}/config.json"
"""Key of what says which API the desk talks to, and who signs people in."""
THREADS = 8


ALLOWED = """\
# Pages, manifests, image information and whole images may be indexed. Tiles may not: an image
# has thousands of them, and none shows anything by itself. Nor may whole objects: a book as PDF is
# a hundred megabytes.
User-agent: *
Disallow: /iiif/*/*,*,*,*/
Disallow: /presentation/*/object.pdf

# Who wants all of it need not walk: one file has every object with its addresses, in JSON Lines
# or CSV, and one stream every change since (IIIF Change Discovery).
#   {base}/data/objects.jsonl.gz
#   {base}/data/objects.csv.gz
#   {base}/discovery/changes.json
Sitemap: {base}/sitemap.xml
Sitemap: {base}/browse/sitemap.xml
"""
DENIED = """\
User-agent: *
Disallow: /
"""


def write_robots(base: str, crawlers: str, content_usage: str = "") -> str:
    """Return robots.txt (RFC 9309); `base` is scheme and host, `crawlers` allow or deny.

    `content_usage` says to those that come what the images may be used for
    (draft-ietf-aipref-attach, section 3).
    """
    text = DENIED if crawlers == "deny" else ALLOWED.format(base=base)
    if not content_usage:
        return text
    agents = "User-agent: *\n"
    return text.replace(agents, f"{agents}Content-Usage: {content_usage}\n", 1)


def publish_site(
    store: VersionedStore,
    site: Path,
    viewer: Path,
    others: Path,
    robots: str,
    base: str,
    theme: Path | None = None,
    desk: Mapping[str, str] | None = None,
    *,
    has_mcp: bool = False,
) -> int:
    """Put the page in `site` and its viewers into `store`; return the number of files.

    On a new site, also the list of the first page and the dumps, which it names.

    `viewer` is the folder `build/openseadragon` of the npm package, `others` that of the viewers of
    others (scripts/fetch_viewers.py), `robots` its robots.txt, `base` scheme and host, `theme` a
    file; without one, the stored theme stays. `desk` is the desk's configuration; without one, the
    files of the desk stay out. `has_mcp` if programs find `/mcp` at `base`.
    Raises FileNotFoundError before anything is put if a folder lacks its file, ThemeRefused,
    ValueError for a file of unknown type.
    """
    script = viewer / VIEWER_FILE
    for required in (site / "style.css", script, others / "mirador" / "mirador.min.js"):
        if not required.is_file():
            raise FileNotFoundError(required)
    files = [
        (f"{VIEWER_FOLDER}/{VIEWER_FILE}", script, VIEWER_CACHE),
        *((key, path, PAGE_CACHE) for key, path in _list_files(site) if desk or not _is_desk(key)),
        *((f"{OTHERS_FOLDER}/{key}", path, VIEWER_CACHE) for key, path in _list_files(others)),
    ]
    uploads = [(key, path, _content_type(path), cache) for key, path, cache in files]
    look = store_theme(store, theme) if theme else keep_theme(store)
    texts = {
        "robots.txt": (robots.encode(), CONTENT_TYPES[".txt"]),
        "llms.txt": (write_llms_txt(look, base, has_mcp=has_mcp).encode(), CONTENT_TYPES[".txt"]),
    }
    if desk:
        texts[DESK_CONFIG] = (json.dumps(desk).encode(), CONTENT_TYPES[".json"])
    for key, (body, content_type) in texts.items():
        store.put(key, body, content_type=content_type, cache_control=PAGE_CACHE)
    facets = read_facets(store)
    pages = [
        *write_about_pages(look, base),
        *write_missing_pages(look, base),
        *write_search_pages(look, base),
        *write_map_pages(look, base, has_places=any(one.slug == PLACE for one, _ in facets)),
        *Browsing(look, base).write_index(facets),
    ]
    for page in pages:
        put_changed(store, page, PAGE_CACHE)

    def put(upload: tuple[str, Path, str, str]) -> None:
        key, path, content_type, cache = upload
        store.put(key, path.read_bytes(), content_type=content_type, cache_control=cache)

    with ThreadPoolExecutor(THREADS, thread_name_prefix="files") as threads:
        list(threads.map(put, uploads))
    # The first page goes last, so that it never names a file that does not exist yet.
    lists = begin_list(store)
    if not _is_stored(store, OBJECTS_JSONL):
        update_dumps(store, base)
    shown = sum(not page.is_replacement for page in pages)
    count = len(uploads) + len(texts) + shown + len(look.files) + lists
    return count + write_home(store, base)


def _is_stored(store: ObjectStore, key: str) -> bool:
    try:
        store.head(key)
    except ObjectMissing:
        return False
    return True


def _list_files(folder: Path) -> list[tuple[str, Path]]:
    """Return the files of a folder, each after its path in it."""
    return [
        (path.relative_to(folder).as_posix(), path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]


def _is_desk(key: str) -> bool:
    return key.startswith(f"{DESK_FOLDER}/")


def _content_type(path: Path) -> str:
    try:
        return CONTENT_TYPES[path.suffix]
    except KeyError:
        raise ValueError(
            f"{path}: no content type is known for {path.suffix!r}; add it to CONTENT_TYPES."
        ) from None
