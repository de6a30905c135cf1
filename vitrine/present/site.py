"""The page: its files are put into the site bucket, each with its type and cache lifetime."""

from pathlib import Path

from vitrine.ports import ObjectStore

VIEWER_FOLDER = "openseadragon"
VIEWER_FILE = "openseadragon.min.js"
"""The one file of the viewer's package that the page loads; its first lines name its licence."""

CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}

PAGE_CACHE = "public, max-age=60"
"""One lifetime for all files of the page, so that old and new do not stay mixed after a release."""

VIEWER_CACHE = "public, max-age=86400"


def publish_site(store: ObjectStore, site: Path, viewer: Path) -> int:
    """Put the page in `site` and the viewer in `viewer` into `store`; return the number of files.

    `viewer` is the folder `build/openseadragon` of the npm package. Raises FileNotFoundError
    before anything is put if a folder lacks its file, ValueError for a file of unknown type.
    """
    script = viewer / VIEWER_FILE
    for required in (site / "index.html", script):
        if not required.is_file():
            raise FileNotFoundError(required)
    files = [
        (path.relative_to(site).as_posix(), path, PAGE_CACHE)
        for path in sorted(site.rglob("*"))
        if path.is_file()
    ]
    # The page goes last, so that it never names a file that does not exist yet.
    files.sort(key=lambda file: file[0] == "index.html")
    files.insert(0, (f"{VIEWER_FOLDER}/{VIEWER_FILE}", script, VIEWER_CACHE))
    uploads = [(key, path, _content_type(path), cache) for key, path, cache in files]
    for key, path, content_type, cache in uploads:
        store.put(key, path.read_bytes(), content_type=content_type, cache_control=cache)
    return len(uploads)


def _content_type(path: Path) -> str:
    try:
        return CONTENT_TYPES[path.suffix]
    except KeyError:
        raise ValueError(
            f"{path}: no content type is known for {path.suffix!r}; add it to CONTENT_TYPES."
        ) from None
