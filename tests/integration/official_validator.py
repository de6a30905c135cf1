"""The official IIIF validator (PyPI iiif-validator), level 2 of both versions.

One failure of version 3 is expected, `size_noup`: the validator wants `!2000,3000` of a 1000 by
1000 image refused. Image API 3.0, section 4.2, says of `!w,h`: "The returned image MUST be as
large as possible but not larger than the extracted region, w or h, or server-imposed limits."
So a smaller image is returned as it is, and a viewer's thumbnail of a small image is no error.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyvips
from iiif_validator.validator import ValidationInfo

VALIDATOR = Path(sys.executable).with_name("iiif-validate.py")
IDENTIFIER = "colour-grid"
"""With a hyphen, which the validator escapes to see whether it is still found."""
SQUARE = 100
EXPECTED = {"2.0": (30, set[str]()), "3.0": (33, {"size_noup"})}
"""Number of tests of level 2, and those that fail, by the validator's name of the version."""


def draw_grid() -> Any:
    """Return the validator's test image."""
    colours = np.array(ValidationInfo().colorInfo, dtype="u1").transpose(1, 0, 2)
    pixels = colours.repeat(SQUARE, axis=0).repeat(SQUARE, axis=1)
    return pyvips.Image.new_from_array(pixels).copy(interpretation="srgb")


def require_level_2(server: str, version: str) -> None:
    """Raise AssertionError unless the server at host and port is of level 2 for the grid."""
    prefix = f"iiif/{version[0]}"
    requested = ["-s", server, "-p", prefix, "-i", IDENTIFIER, f"--version={version}", "--level=2"]
    run = subprocess.run(
        [sys.executable, VALIDATOR, *requested, "--verbose"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    found = dict(re.findall(r"test (\w+) (PASS|FAIL)", run.stderr))
    number, failures = EXPECTED[version]
    assert {name for name, verdict in found.items() if verdict == "FAIL"} == failures, run.stderr
    assert len(found) == number
    assert f"Done ({number} tests, {len(failures)} failures)" in run.stderr
