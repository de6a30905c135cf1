"""A known picture, a way to save it, and the pipeline in memory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile

from tests.unit.ingest.followed_masters import FollowedMasters
from tests.unit.ingest.made_masters import ADOBE_GAMMA, ADOBE_TO_XYZ, icc_profile
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.ingest.services import IngestServices

WIDTH, HEIGHT = 700, 500


@pytest.fixture(scope="session")
def picture() -> Any:
    """A smooth picture, float RGB 0 to 1, muted enough for any gamut; no two corners alike."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    red = 0.35 + 0.3 * x / WIDTH
    green = 0.35 + 0.3 * y / HEIGHT
    blue = 0.5 + 0.1 * np.sin(x / 40) * np.cos(y / 30)
    return np.stack([red, green, blue], axis=-1)


@pytest.fixture
def save(tmp_path: Path) -> Callable[..., Path]:
    """Write an array as a TIFF by tifffile, which shares no code with libvips."""

    def write(name: str, pixels: Any, **options: Any) -> Path:
        path = tmp_path / name
        tifffile.imwrite(path, pixels, **options)
        return path

    return write


@pytest.fixture(scope="session")
def adobe_profile() -> bytes:
    """AdobeRGB (1998) as a matrix profile."""
    columns = {f"{name}XYZ".encode(): ADOBE_TO_XYZ[:, i] for i, name in enumerate("rgb")}
    curves = {f"{name}TRC".encode(): ADOBE_GAMMA for name in "rgb"}
    return icc_profile(b"RGB ", columns, curves)


@pytest.fixture(scope="session")
def gray_profile() -> bytes:
    """Gray with gamma 1.8."""
    return icc_profile(b"GRAY", {}, {b"kTRC": 1.8})


@pytest.fixture
def services() -> MemoryIngestServices:
    """The pipeline in memory; masters of at most 10 megapixels and 64 MiB."""
    return MemoryIngestServices()


@pytest.fixture
def followed(services: IngestServices) -> FollowedMasters:
    """Masters that are followed through their steps."""
    return FollowedMasters(services)
