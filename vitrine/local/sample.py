"""A first master for a service that has none: a real photograph, or a test picture."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.local.debian_files import ELEPHANTS, fetch

TEST_PICTURE = REPOSITORY / ".build" / "samples" / "test-picture.tif"
TEST_PICTURE_PIXELS = 6000


def sample_master(say: Callable[[str], None]) -> Path:
    """Return a photographed painting from a Debian package, or a drawn picture if that fails."""
    try:
        return fetch(ELEPHANTS)
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        say(f"no photograph, so a test picture is drawn: {str(error).splitlines()[0]}")
        return draw_test_picture(TEST_PICTURE)


def draw_test_picture(path: Path) -> Path:
    """Write an RGB TIFF of zone plates, whose rings distinguish every zoom level from the next."""
    import pyvips  # not at the top: only this needs the library, and it takes 0.1 s to load

    path.parent.mkdir(parents=True, exist_ok=True)
    plates = [
        pyvips.Image.zone(TEST_PICTURE_PIXELS, TEST_PICTURE_PIXELS, uchar=True).rot(turn)
        for turn in ("d0", "d90")
    ]
    grey = pyvips.Image.grey(TEST_PICTURE_PIXELS, TEST_PICTURE_PIXELS, uchar=True)
    image = plates[0].bandjoin([plates[1], grey]).copy(interpretation="srgb")
    image.tiffsave(str(path), compression="deflate")
    return path
