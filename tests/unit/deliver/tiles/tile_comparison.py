"""The metadata segments of tiles in these tests, and how tiles are compared."""

from typing import Any

import numpy as np

from vitrine.deliver.embed.jpeg import exif_segment, icc_segments
from vitrine.deliver.embed.srgb import SRGB

SEGMENTS = exif_segment(b"II*\0\x08\0\0\0\0\0\0\0\0\0") + icc_segments(SRGB)


def close(first: Any, second: Any) -> bool:
    """The same but for what decoders differ in: how they interpolate chroma."""
    return bool(np.abs(first.astype(int) - second.astype(int)).mean() < 0.7)
