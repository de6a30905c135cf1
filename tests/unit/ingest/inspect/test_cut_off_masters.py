"""How much of a master arrived, where its format says how long it is."""

from pathlib import Path

import numpy as np
import pytest
import pyvips
import tifffile
from PIL import Image

from tests.rigs.corpora.corpus_colours import eight, picture
from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.header import read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format

LIMITS = MasterLimits(pixels=1_000_000, bytes=64 * 1024 * 1024)


def write_directory_first(path: Path) -> None:
    tifffile.imwrite(path, eight(picture()), photometric="rgb", rowsperstrip=16)


def write_directory_last(path: Path) -> None:
    pyvips.Image.new_from_array(np.ascontiguousarray(eight(picture()))).tiffsave(str(path))


def write_by_pillow(path: Path) -> None:
    Image.fromarray(eight(picture())).save(path)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("first.tif", write_directory_first),
        ("last.tif", write_directory_last),
        ("m.webp", write_by_pillow),
        ("m.bmp", write_by_pillow),
        ("m.jp2", write_by_pillow),
    ],
)
def test_a_master_that_is_cut_off_says_how_much_of_it_arrived(
    name: str, write: object, tmp_path: Path
) -> None:
    assert callable(write)
    master = tmp_path / name
    write(master)
    whole = master.read_bytes()
    master.write_bytes(whole[: len(whole) * 34 // 100])
    with pytest.raises(MasterRejected) as raised, LocalFile(master) as file:
        read_header(file, detect_format(file.read_at(0, PREFIX_BYTES)), LIMITS)
    assert raised.value.rejection.code == "damaged-file"
    assert "33% of" in raised.value.rejection.value or "34% of" in raised.value.rejection.value
