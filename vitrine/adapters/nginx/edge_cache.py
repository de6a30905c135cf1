"""What CloudFront's invalidations do, for the edge nginx: forget all of some images."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

HEAD_BYTES = 16_384
"""A cache file begins with the key and the response's headers; ours fit into proxy_buffer_size."""
TAGS = re.compile(rb"\ncache-tag:([^\r\n]*)", re.IGNORECASE)


class NginxEdgeCache:
    """The cache of the edge whose `directory` this is.

    nginx may run meanwhile: it asks the origin for what is gone from its cache folder.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def invalidate(self, tags: Collection[str], reference: str) -> str:
        return f"{purge(self._directory, tags)} files, {reference}"

    def invalidate_all_images(self, reference: str) -> str:
        kept = list(_kept(self._directory))
        _remove(kept)
        return f"{len(kept)} files, {reference}"


def purge(directory: Path, tags: Collection[str]) -> int:
    """Remove every kept answer with one of these `Cache-Tag`s; their number."""
    wanted = {tag.lower().encode() for tag in tags}
    found = [path for path in _kept(directory) if not wanted.isdisjoint(_tags(path))]
    _remove(found)
    return len(found)


def _kept(directory: Path) -> Iterator[Path]:
    return (path for path in (directory / "cache").rglob("*") if not path.is_dir())


def _tags(path: Path) -> set[bytes]:
    try:
        with path.open("rb") as file:
            told = TAGS.search(file.read(HEAD_BYTES))
    except FileNotFoundError:  # nginx removes and renames as it works
        return set()
    return {tag.strip().lower() for tag in told[1].split(b",")} if told else set()


def _remove(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
