"""A JPEG packed as JPEG XL comes back bit for bit, and what cannot be packed is refused."""

import io
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from tests.unit.deliver.embed.embed_files import described, ranged
from tests.unit.deliver.render.render_rig import psnr
from tests.unit.deliver.render.restored_jpeg import restore_jpeg
from tests.unit.ingest.made_pyramids import picture
from vitrine.deliver.embed.jpeg import embed_in_jpeg
from vitrine.deliver.embed.selection import read_derivative_metadata
from vitrine.deliver.render.jxl_codec import UnsupportedJpeg, pack_jpeg
from vitrine.deliver.render.pool import SLACK_SECONDS
from vitrine.deliver.render.task import packing_costs

METADATA = read_derivative_metadata(ranged(described()), len(described()), name="a.tif")
KINDS: tuple[dict[str, Any], ...] = (
    {"subsampling": "4:4:4"},
    {"subsampling": "4:2:2"},
    {"subsampling": "4:2:0"},
    {"progressive": True},
    {"keep_rgb": True},
    {"quality": 100},
    {"restart_marker_blocks": 2},
)


def jpeg(width: int, height: int, mode: str = "RGB", **options: Any) -> bytes:
    file = io.BytesIO()
    pixels = np.ascontiguousarray(picture(width, height))
    Image.fromarray(pixels).convert(mode).save(file, "JPEG", **options)
    return file.getvalue()


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_any_jpeg_comes_back_bit_for_bit(options: dict[str, Any]) -> None:
    for size in ((1, 1), (7, 300), (256, 256), (301, 203)):
        original = jpeg(*size, **options)
        assert restore_jpeg(pack_jpeg(original)) == original


def test_a_gray_jpeg_comes_back_bit_for_bit() -> None:
    original = jpeg(256, 256, "L")
    assert restore_jpeg(pack_jpeg(original)) == original


def test_profile_rights_and_all_other_metadata_come_back() -> None:
    original = embed_in_jpeg(jpeg(256, 256), METADATA)
    packed = pack_jpeg(original)
    assert restore_jpeg(packed) == original
    # Boxes of EXIF and XMP, each packed by Brotli.
    assert packed.count(b"brobExif") == 1
    assert packed.count(b"brobxml ") == 1


def test_its_pixels_are_those_of_the_jpeg() -> None:
    original = jpeg(256, 256, quality=90, subsampling="4:4:4")
    shown = imagecodecs.jpegxl_decode(pack_jpeg(original))
    # Each decoder rounds in its own way.
    assert psnr(shown, np.asarray(Image.open(io.BytesIO(original)))) > 45


def test_a_photograph_takes_fewer_bytes() -> None:
    original = jpeg(512, 512, quality=90, subsampling="4:4:4")
    assert len(pack_jpeg(original)) < 0.9 * len(original)


@pytest.mark.parametrize("data", [b"", b"x", b"\xff\xd8\xff\xd9", jpeg(64, 64)[:700]])
def test_what_is_no_whole_jpeg_is_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedJpeg):
        pack_jpeg(data)


def test_four_channels_are_refused() -> None:
    with pytest.raises(UnsupportedJpeg):
        pack_jpeg(jpeg(64, 64, "CMYK"))


def test_damaged_jpegs_are_packed_as_they_are_or_refused() -> None:
    chance, original = random.Random(20), jpeg(64, 64, quality=90)
    for _ in range(300):
        damaged = bytearray(original)
        for _ in range(chance.randint(1, 8)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            packed = pack_jpeg(bytes(damaged))
        except UnsupportedJpeg:
            continue
        assert restore_jpeg(packed) == bytes(damaged)


def test_many_threads_pack_at_once() -> None:
    originals = [jpeg(200 + side, 200) for side in range(16)]
    with ThreadPoolExecutor(4) as threads:
        packed = list(threads.map(pack_jpeg, originals))
    assert [restore_jpeg(one) for one in packed] == originals


@pytest.mark.parametrize(
    ("side", "milliseconds"), [(64, 2.0), (128, 2.4), (256, 5.6), (512, 15.3), (1024, 60.7)]
)
def test_packing_is_priced_as_it_was_measured_whatever_the_size(
    side: int, milliseconds: float
) -> None:
    """Measured on photographs (ADR 0032); the price decides which lane a picture waits in."""
    memory_bytes, work = packing_costs(side, side)
    assert work * SLACK_SECONDS * 1e3 == pytest.approx(milliseconds, rel=0.25)
    assert memory_bytes == 30 * side**2
