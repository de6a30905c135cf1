"""What a JPEG 2000 is said to need is what its conversion takes: it decides where that runs."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.rigs.corpora.jpeg2000_masters import codestream, tiled

CONVERSION = """
import json, sys
from pathlib import Path
from vitrine.ingest.convert.access_master import to_file
from vitrine.ingest.convert.conversion import convert
from vitrine.ingest.inspect.header import read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.recipe import STANDARD
from tests.rigs.process_memory import peak_mebibytes
master = Path(sys.argv[1])
with LocalFile(master) as file:
    header = read_header(file, "jp2", MasterLimits(pixels=10**8, bytes=10**9))
before = peak_mebibytes()
convert(master, header, STANDARD, master.parent, to_file(master.parent / "access.tif"))
print(json.dumps({
    "before": before,
    "peak": peak_mebibytes(),
    "decoder": header.decoder_bytes / 2**20,
    "needed": header.needs.memory_bytes / 2**20,
}))
"""


def grain(bits: int) -> Any:
    """Four megapixels with the noise of a film scan, which does not compress well."""
    random = np.random.default_rng(7)
    levels = 2**bits
    noise = random.integers(0, levels // 16, (2_000, 2_000, 3))
    ramp = np.linspace(0, levels * 0.9, 2_000)[None, :, None]
    return (ramp + noise).astype("u1" if bits == 8 else "u2")


@pytest.mark.parametrize("make", [lambda: codestream(grain(16)), lambda: tiled(grain(8), 1_024)])
def test_the_memory_that_a_header_foresees_is_what_the_conversion_takes(
    make: Any, tmp_path: Path
) -> None:
    master = tmp_path / "master.j2k"
    master.write_bytes(make())
    command = [sys.executable, "-c", CONVERSION, str(master)]
    figures = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert figures["peak"] <= figures["needed"]
    assert 0.6 <= (figures["peak"] - figures["before"]) / figures["decoder"] <= 1.3
