"""Access masters of a small collection: 200 images, each another part of a photograph."""

from pathlib import Path

from loadtest.corpora.access_masters import Master, Progress, open_master, picture, write_standard

IMAGES = 200
_SIZES = ((2_900, 2_100), (3_720, 2_480), (2_000, 3_000), (6_000, 4_000))
"""Width and height in pixels, in turns: 6, 9, 6 and 24 megapixels."""
_STEP = 16
"""Pixels from where one image begins to where the next does, down and to the right."""


def make_masters(folder: Path, progress: Progress) -> list[Master]:
    """Write those that are not there yet into `folder`, by our recipe, in a minute and 1.2 GB."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"image-{number:03}.tif" for number in range(IMAGES)]
    missing = [(number, path) for number, path in enumerate(paths) if not path.exists()]
    if missing:
        progress(f"making {len(missing)} access masters of a collection")
        whole = picture(*(max(sides) + _STEP * IMAGES for sides in zip(*_SIZES, strict=True)))
    for number, path in missing:
        part, left = path.with_suffix(".part"), _STEP * number
        write_standard(whole.crop(left, left, *_SIZES[number % len(_SIZES)]), part)
        part.rename(path)
    return [open_master(path) for path in paths]
