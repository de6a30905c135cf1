"""What CloudFront's invalidation by tag does, for the edge nginx: forget all of one image."""

from pathlib import Path

HEAD_BYTES = 16_384
"""A cache file begins with the key and the response's headers; ours fit into proxy_buffer_size."""


def purge(directory: Path, cache_tag: str) -> int:
    """Remove every kept answer with this `Cache-Tag`; their number.

    `directory` is the edge's. nginx may run meanwhile: it asks the origin for what is gone
    from its cache folder.
    """
    wanted = f"\ncache-tag: {cache_tag}\r\n".encode().lower()
    found = [path for path in (directory / "cache").rglob("*") if _mentions(path, wanted)]
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)


def _mentions(path: Path, line: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return line in file.read(HEAD_BYTES).lower()
    except (FileNotFoundError, IsADirectoryError):  # nginx removes and renames as it works
        return False
