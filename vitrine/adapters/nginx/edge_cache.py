"""The edge nginx's cache: what CloudFront's invalidations do, done by deleting its files."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from vitrine.store.layout import MANIFEST_TAG_PREFIX

HEAD_BYTES = 16_384
"""A cache file begins with the key and the response's headers, which fit into proxy_buffer_size."""
TAGS = re.compile(rb"\ncache-tag:([^\r\n]*)", re.IGNORECASE)


class NginxEdgeCache:
    """The cache in the `directory` of an edge.

    nginx may be running: it requests from the origin what is no longer in its cache folder.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def invalidate(self, tags: Collection[str], reference: str) -> str:
        return f"{purge(self._directory, tags)} files, {reference}"

    def invalidate_all_images(self, reference: str) -> str:
        files = list(_cache_files(self._directory))
        _delete_files(files)
        return f"{len(files)} files, {reference}"

    def invalidate_all_manifests(self, reference: str) -> str:
        files = [file for file in _cache_files(self._directory) if _is_manifest(file)]
        _delete_files(files)
        return f"{len(files)} files, {reference}"


def purge(directory: Path, tags: Collection[str]) -> int:
    """Remove every cached response with one of these `Cache-Tag`s; return their number."""
    requested = {tag.lower().encode() for tag in tags}
    found = [path for path in _cache_files(directory) if not requested.isdisjoint(_read_tags(path))]
    _delete_files(found)
    return len(found)


def _cache_files(directory: Path) -> Iterator[Path]:
    return (path for path in (directory / "cache").rglob("*") if not path.is_dir())


def _read_tags(path: Path) -> set[bytes]:
    try:
        with path.open("rb") as file:
            header = TAGS.search(file.read(HEAD_BYTES))
    except FileNotFoundError:  # nginx removes and renames as it works
        return set()
    return {tag.strip().lower() for tag in header[1].split(b",")} if header else set()


def _is_manifest(path: Path) -> bool:
    prefix = MANIFEST_TAG_PREFIX.encode()
    return any(tag.startswith(prefix) for tag in _read_tags(path))


def _delete_files(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
