"""One encoding in a process of its own: `python -m …encode.worker HOW SOURCE TARGET`.

Prints CPU seconds and wall seconds as JSON, the imports not counted.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import pyvips

from vitrine.ingest.convert.access_master import to_file, write_access_master
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.inspect.vips import prepare_libvips
from vitrine.ingest.recipe import STANDARD


def encode_picture(how: str, source: str, target: Path) -> None:
    """Encode with our standard recipe, or with `tiffsave-<quality>`."""
    image = pyvips.Image.new_from_file(source, access="sequential")
    if how == "standard":
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            write_access_master(
                image, Metadata(), STANDARD, to_file(target), Path(scratch), lambda rows: None
            )
        return
    image.tiffsave(
        str(target),
        compression="jpeg",
        Q=int(how.partition("-")[2]),
        tile=True,
        tile_width=256,
        tile_height=256,
        pyramid=True,
        bigtiff=image.width * image.height > 1_000_000_000,
    )


def main() -> None:
    """Encode and print what it took."""
    how, source, target = sys.argv[1:]
    prepare_libvips()
    cpu, wall = time.process_time(), time.monotonic()
    encode_picture(how, source, Path(target))
    figures = {
        "cpu_seconds": time.process_time() - cpu,
        "wall_seconds": time.monotonic() - wall,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
