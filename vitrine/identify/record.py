"""The three states of an identifier, and the decision taken from them."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Live:
    """A published image. Sizes in pixels, `levels` from full resolution down to the smallest."""

    identifier: str
    version: str
    access_master_key: str
    access_master_bytes: int
    width: int
    height: int
    tile_width: int
    tile_height: int
    levels: tuple[tuple[int, int], ...]
    master_key: str
    master_version: str
    master_modified: str
    """Last-Modified of the master, RFC 3339 UTC; the newest master wins."""
    published_at: str
    """RFC 3339 UTC."""


@dataclass(frozen=True, kw_only=True)
class Redirect:
    """A former identifier; `target` is never itself a redirect."""

    identifier: str
    target: str
    changed_at: str


@dataclass(frozen=True, kw_only=True)
class Gone:
    """A tombstone: the image was withdrawn."""

    identifier: str
    reason: str
    changed_at: str


Record = Live | Redirect | Gone
