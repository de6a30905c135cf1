"""JPEG 2000 masters on their way through the steps, and the colours of all their dialects."""

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.rigs.corpora.corpus_colours import eight, picture, sixteen
from tests.rigs.corpora.corpus_master import on_white, transparency
from tests.rigs.corpora.jpeg2000_masters import (
    box,
    codestream,
    defined,
    enumerated,
    jp2,
    profiled,
)
from tests.rigs.corruption.variant_judge import convert_pixels
from tests.unit.ingest.made_masters import adobe_to_srgb, difference
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import ConverterTooSmall, MasterRejected
from vitrine.ingest.inspect.header import read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import StartResult, start_ingest
from vitrine.ingest.steps.check_master import check_master
from vitrine.ingest.steps.convert_master import convert_master
from vitrine.ingest.steps.publish_image import publish_image
from vitrine.ingest.steps.verify_access_master import verify_access_master
from vitrine.store.layout import execution_name
from vitrine.store.ranged import RangedFile
from vitrine.store.tiff.reading import TiffReader
from vitrine.store.tiff.tags import Tag

KEY = "scans/RP-T-1.jp2"
RGB = eight(picture())
XMP = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"


def shown(body: bytes, tmp_path: Path) -> Any:
    """sRGB 0 to 1."""
    path = tmp_path / "m.jp2"
    path.write_bytes(body)
    return convert_pixels(path) / 255


def sycc(pixels: Any) -> Any:
    """Source: IEC 61966-2-1, amendment 1."""
    matrix = [[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]]
    return np.clip(pixels @ np.array(matrix).T + [0, 128, 128], 0, 255).round().astype("u1")


def test_every_dialect_shows_its_colours(tmp_path: Path, adobe_profile: bytes) -> None:
    clear = eight(np.dstack([picture() * transparency(), transparency()]))
    transparent = defined((0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 2, 0))
    bgr = defined((0, 0, 3), (1, 0, 2), (2, 0, 1))
    dialects = {
        "sYCC": (jp2(codestream(sycc(RGB * 1.0), mct=False), enumerated(18)), picture()),
        "channels in another order": (
            jp2(codestream(RGB[..., ::-1], mct=False), enumerated(16), bgr),
            picture(),
        ),
        "12 bits": (codestream(sixteen(picture()) >> 4, bitspersample=12), picture()),
        "5 bits": (jp2(codestream(RGB[..., 0] >> 3, bitspersample=5), enumerated(17)), None),
        "raw": (codestream(RGB), picture()),
        "premultiplied": (
            jp2(codestream(clear, mct=False), enumerated(16), transparent),
            on_white(),
        ),
        "profile": (jp2(codestream(RGB), profiled(adobe_profile)), adobe_to_srgb(picture())),
    }
    for name, (body, expected) in dialects.items():
        if expected is None:
            gray = (RGB[..., 0] >> 3) / 31
            expected = np.repeat(gray[..., None], 3, axis=-1)
        assert difference(shown(body, tmp_path), expected) <= 0.7, name


def test_a_palette_is_looked_up(tmp_path: Path) -> None:
    colours = np.random.default_rng(3).integers(0, 256, (200, 3), "u1")
    indexes = (np.indices((50, 70)).sum(axis=0) % 200).astype("u1")
    palette = box(b"pclr", struct.pack(">HB", 200, 3), b"\7\7\7", colours.tobytes())
    mapping = box(b"cmap", *(struct.pack(">HBB", 0, 1, column) for column in range(3)))
    body = jp2(codestream(indexes), enumerated(16), palette, mapping)
    assert np.array_equal(shown(body, tmp_path) * 255, colours[indexes])


def test_cmyk_goes_through_its_profile(tmp_path: Path) -> None:
    inks = np.zeros((40, 40, 4), "u1")
    inks[..., 3] = 255
    pixels = shown(jp2(codestream(inks, mct=False), enumerated(12)), tmp_path)
    assert pixels.mean() < 0.25


def _request(services: IngestServices, master: Path) -> IngestMaster:
    services.masters.upload(master, KEY, content_type="image/jp2", metadata={})
    assert start_ingest(services, KEY) is StartResult.STARTED
    version = services.masters.head(KEY).version
    executions = services.pipeline.executions  # type: ignore[attr-defined]
    return IngestMaster.from_json(executions[execution_name(KEY, version)])


def _described() -> bytes:
    resolution = box(b"res ", box(b"resc", struct.pack(">HHHHbb", 1181, 1, 1181, 1, 1, 1)))
    xmp = box(b"uuid", bytes.fromhex("be7acfcb97a942e89c71999491e3afac"), XMP)
    return jp2(codestream(RGB), enumerated(16), resolution, after=xmp)


def test_a_jpeg_2000_becomes_a_published_image_with_its_metadata(
    services: IngestServices, tmp_path: Path
) -> None:
    master = tmp_path / "master.jp2"
    master.write_bytes(_described())
    ingest_request = _request(services, master)
    check_master(services, ingest_request)
    converted = verify_access_master(services, convert_master(services, ingest_request))
    image = publish_image(services, converted)
    assert services.identifiers.get("RP-T-1") == image
    assert image.levels[0] == (240, 160)
    made = services.access_masters.read(image.access_master_key, 0, image.access_master_bytes).data
    page = TiffReader(lambda at, length: made[at : at + length], len(made)).pages()[0]
    assert page.raw(Tag.XMP) == XMP
    assert struct.unpack("<II", page.raw(Tag.X_RESOLUTION)) == (1_181_000, 10_000)


def test_an_access_master_is_compared_with_what_was_in_the_jpeg_2000(
    services: IngestServices, tmp_path: Path
) -> None:
    master = tmp_path / "master.jp2"
    master.write_bytes(_described())
    converted = convert_master(services, _request(services, master))
    verify_access_master(services, converted)
    [x, y, *colour], *others = converted.samples
    other = replace(converted, samples=[[x, y, *(value ^ 64 for value in colour)], *others])
    with pytest.raises(MasterRejected, match="conversion-differs"):
        verify_access_master(services, other)


def test_a_large_one_takes_the_converter_that_has_its_memory(
    services: IngestServices, tmp_path: Path
) -> None:
    master = tmp_path / "master.jp2"
    wide = bytearray(codestream(RGB))
    struct.pack_into(">IIIIII", wide, 8, 3_000, 3_000, 0, 0, 3_000, 3_000)
    master.write_bytes(wide)
    ingest_request = _request(services, master)
    limits = replace(services.limits, converter_memory_bytes=250 << 20)
    with pytest.raises(ConverterTooSmall):
        check_master(replace(services, limits=limits), ingest_request)
    check_master(services, ingest_request)


def test_a_header_costs_few_reads_and_no_decoding(tmp_path: Path) -> None:
    """Metadata behind the pixels is left to the conversion, but for the boxes' own heads."""
    noise = np.random.default_rng(5).integers(0, 256, (700, 700, 3), "u1")
    master = tmp_path / "master.jp2"
    xmp = box(b"uuid", bytes.fromhex("be7acfcb97a942e89c71999491e3afac"), XMP)
    master.write_bytes(jp2(codestream(noise), enumerated(16), after=xmp))
    store = MemoryObjectStore()
    store.upload(master, KEY, content_type="image/jp2", metadata={})
    file = RangedFile(store, KEY, master.stat().st_size)
    header = read_header(file, "jp2", MasterLimits(pixels=1_000_000, bytes=1))
    assert (header.width, header.colour, file.reads) == (700, "rgb", 2)
