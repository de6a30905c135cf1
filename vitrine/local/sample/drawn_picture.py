"""A picture for a service whose machine cannot fetch photographs."""

from pathlib import Path

from vitrine.bootstrap.local_service import REPOSITORY

TEST_PICTURE = REPOSITORY / ".build" / "samples" / "test-picture.tif"
TEST_PICTURE_PIXELS = 6000


def draw_test_picture(path: Path = TEST_PICTURE) -> Path:
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
