"""What a migration will take: bytes, hours and dollars, before anything is sent."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vitrine.costs.ingest_work import image_work, measured_image
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.price import Work, estimate

UPLOAD_BYTES = 100e6 / 8
"""Assumed: what a museum's line takes in a second (100 Mbit/s)."""
MEGA = 1_000_000

ReadPixels = Callable[[Path], int]
"""Returns the number of pixels of an image file, 0 if it cannot tell."""


def foresee(plan: MigrationPlan, region: str, read_pixels: ReadPixels) -> dict[str, Any]:
    """Return what the rows without a result will take.

    Files have their size, and their pixels if `read_pixels` can tell. All else is taken for the
    mean image of the ingest benchmark, or for as many pixels per byte (`assumed` counts them).
    """
    measured = measured_image()
    images = master_bytes = sent = assumed = 0
    megapixels = 0.0
    for row in plan.all_waiting():
        images += 1
        size = _file_size(Path(row.place)) if row.kind == "file" else 0
        pixels = read_pixels(Path(row.place)) if size else 0
        sent += size
        assumed += not pixels
        master_bytes += size or round(measured.master_bytes)
        megapixels += (
            pixels / MEGA
            or (size or measured.master_bytes) * measured.megapixels / measured.master_bytes
        )
    access = megapixels * measured.access_master_bytes / measured.megapixels
    work = Work(
        images=images,
        checked=0,
        imported=images,
        master_bytes=master_bytes,
        access_master_bytes=round(access),
        pixels=round(megapixels * MEGA),
    )
    mean = image_work(
        megapixels=megapixels / (images or 1),
        master_bytes=master_bytes / (images or 1),
        access_master_bytes=access / (images or 1),
    )
    return {
        "images": images,
        "assumed": assumed,
        "master_bytes": master_bytes,
        "access_master_bytes": round(access),
        "pixels": work.pixels,
        "convert_hours": images * mean.convert_seconds / 3_600,
        "upload_hours": sent / UPLOAD_BYTES / 3_600,
        "cost": asdict(estimate(work, region)),
    }


def read_pixels(path: Path) -> int:
    """Return the number of pixels by the file's header; 0 without libvips, or if it cannot tell."""
    try:
        import pyvips
    except ImportError:
        return 0
    try:
        header = pyvips.Image.new_from_file(str(path))
    except pyvips.Error:
        return 0
    return int(header.width * header.height)


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
