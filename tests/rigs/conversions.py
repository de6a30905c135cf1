"""Many conversions in one process: does memory grow?"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import tifffile

from tests.rigs.corpora.corpus_colours import eight, picture, sixteen
from tests.rigs.corpora.format_masters import make_all
from vitrine.bootstrap.local_service import REPOSITORY

EARLY = 25
"""Conversions after which the process is taken to be warm."""
_REPEATS = (5, 5, 1)
"""The larger masters: 1,200 x 800 pixels."""


def measure_conversions(conversions: int, threads: int) -> dict[str, Any]:
    """Convert mixed kinds, small and of one megapixel, in a process of their own.

    Resident memory is read after the 25th and after the last conversion, in MiB.
    """
    with tempfile.TemporaryDirectory() as folder:
        masters = Path(folder)
        small = list(make_all(masters).values())
        large = _make_large(masters)
        order = [
            str(large[number // 3 % len(large)] if number % 3 == 0 else small[number % len(small)])
            for number in range(conversions)
        ]
        (masters / "order.json").write_text(json.dumps(order))
        command = [sys.executable, "-m", "tests.rigs.conversions_process"]
        output = subprocess.run(
            [*command, str(masters / "order.json"), str(threads), str(EARLY)],
            check=True,
            capture_output=True,
            text=True,
            cwd=REPOSITORY,
        ).stdout
    figures: dict[str, Any] = json.loads(output)
    return figures


def _make_large(folder: Path) -> list[Path]:
    pixels = np.tile(picture(), _REPEATS)
    deep = sixteen(pixels)
    kinds: dict[str, tuple[Any, dict[str, Any]]] = {
        "strips": (eight(pixels), {"rowsperstrip": 64}),
        "lzw-16": (deep, {"compression": "lzw", "predictor": True, "rowsperstrip": 800}),
        "tiles-16": (deep, {"tile": (256, 256), "compression": "deflate"}),
        "jpeg": (eight(pixels), {"compression": "jpeg", "tile": (256, 256)}),
        "planar": (np.ascontiguousarray(np.moveaxis(eight(pixels), -1, 0)),
                   {"planarconfig": "separate", "tile": (256, 256)}),
        "float": (pixels.astype("f4"), {}),
    }  # fmt: skip
    paths = []
    for name, (samples, options) in kinds.items():
        paths.append(folder / f"large-{name}.tif")
        tifffile.imwrite(paths[-1], samples, photometric="rgb", **options)
    return paths
