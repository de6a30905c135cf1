"""The table of a run, and whether it keeps what was promised."""

from collections.abc import Iterator, Mapping
from typing import Any

KIBIBYTE = 1024
OF_OURS = {"info_json": (0, 0), "first_tile": (2, 512), "first_thumbnail": (2, 512)}
OF_LIBVIPS = {"info_json": (0, 0), "first_tile": (12, 3072), "first_thumbnail": (12, 3072)}
"""Most reads and most KiB of each kind of first request."""


def promises(identifier: str) -> Mapping[str, tuple[int, int]]:
    """Return what is promised of an image of this name."""
    return OF_LIBVIPS if identifier.startswith("libvips") else OF_OURS


def table(figures: Mapping[str, Any]) -> str:
    """Markdown: per image and kind of request the worst count of reads and of bytes."""
    lines = [
        "| image | first request | on cold caches | reads | KiB | read twice, KiB | median ms "
        "| promised |",
        "|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for identifier, image in figures["images"].items():
        promised = promises(identifier)
        megapixels = image["width"] * image["height"] / 1e6
        for name, row in _rows(image):
            most = promised.get(name)
            limit = f"≤ {most[0]} reads, ≤ {most[1]} KiB" if most else "nothing read twice"
            lines.append(
                f"| {identifier}, {megapixels:.0f} MP | {name.replace('_', ' ')} "
                f"| {row['visits']} | {row['reads']} | {row['bytes'] / KIBIBYTE:.0f} "
                f"| {row['repeated_bytes'] / KIBIBYTE:.0f} | {row['median_ms']} | {limit} |"
            )
    return "\n".join(lines) + "\n"


def broken(figures: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each promise that the figures do not keep."""
    found = []
    for identifier, image in figures["images"].items():
        promised = promises(identifier)
        for name, row in _rows(image):
            reads, kibibytes = promised.get(name, (row["reads"], row["bytes"]))
            if row["reads"] > reads or row["bytes"] > kibibytes * KIBIBYTE:
                found.append(f"{identifier}: {name} read {row['bytes']} bytes in {row['reads']}")
            if row["repeated_bytes"]:
                found.append(f"{identifier}: {name} read {row['repeated_bytes']} bytes twice")
    return found


def _rows(image: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name in ("info_json", "first_tile", "first_thumbnail"):
        yield name, image[name]
    for name, row in image["at_once"].items():
        yield f"{row['requests_at_once']} at once: {name}", row
