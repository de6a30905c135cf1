"""Every kind of master, in the colours that another library says it has."""

from pathlib import Path

import pytest
import tifffile

from tests.rigs.corpora.corpus_master import MadeKind
from tests.rigs.corpora.format_masters import KINDS
from tests.rigs.corruption.variant_judge import convert_pixels
from tests.unit.ingest.made_masters import difference

BY_NAME = {kind.name: kind for kind in KINDS}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_master_keeps_its_colours(kind: MadeKind, tmp_path: Path) -> None:
    master = tmp_path / f"master{kind.suffix}"
    kind.make(master)
    assert difference(convert_pixels(master) / 255, kind.expected()) <= 0.7


def test_kinds_have_names_of_their_own() -> None:
    assert len(BY_NAME) == len(KINDS)


@pytest.mark.parametrize(
    ("name", "compression", "photometric"),
    [
        ("jpeg-ycbcr-420", "JPEG", "YCBCR"),
        ("jpeg-rgb", "JPEG", "RGB"),
        ("group4", "CCITTFAX4", "MINISBLACK"),
        ("group3", "CCITTFAX3", "MINISBLACK"),
        ("webp-in-tiff", "WEBP", "RGB"),
        ("palette", "NONE", "PALETTE"),
        ("lab-8", "NONE", "CIELAB"),
        ("icc-lab-16", "NONE", "ICCLAB"),
        ("lzw-one-strip", "LZW", "RGB"),
        ("packbits", "PACKBITS", "RGB"),
        ("cmyk", "NONE", "SEPARATED"),
    ],
)
def test_a_made_master_is_what_its_name_says(
    name: str, compression: str, photometric: str, tmp_path: Path
) -> None:
    BY_NAME[name].make(tmp_path / "master.tif")
    with tifffile.TiffFile(tmp_path / "master.tif") as file:
        page = file.pages.first
        assert (page.compression.name, page.photometric.name) == (compression, photometric)
