#!/bin/sh
# libvips 8.18.7 opens a lossless JPEG (ITU-T T.81, annex H) exactly, but reduces none: asked for
# half, a quarter or an eighth of its size it returns that much of the upper left corner, without
# an error even if warnings count. `thumbnail` asks so of its own accord, and shows a corner.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pyvips==3.2.0 pyvips-binary==8.18.7 numpy==2.4.6 imagecodecs==2026.3.6
"$folder/venv/bin/python" - "$folder/lossless.jpg" <<'PYTHON'
import sys

import imagecodecs
import numpy as np
import pyvips

print("libvips", ".".join(str(pyvips.version(part)) for part in range(3)))
RED, BLUE = [200, 40, 40], [40, 40, 200]
pixels = np.full((400, 600, 3), BLUE, "u1")
pixels[:200, :300] = RED
with open(sys.argv[1], "wb") as file:
    file.write(imagecodecs.jpeg8_encode(pixels, lossless=True))

whole = pyvips.Image.jpegload(sys.argv[1], fail_on="warning")
assert (whole.numpy() == pixels).all()
print("opened whole: exact")

for name, reduced in (
    ("jpegload, shrink=2", pyvips.Image.jpegload(sys.argv[1], shrink=2, fail_on="warning")),
    ("thumbnail, 150", pyvips.Image.thumbnail(sys.argv[1], 150)),
):
    corners = [[round(value) for value in reduced(x, y)] for x in (0, -1 + reduced.width)
               for y in (0, -1 + reduced.height)]
    print(f"{name}: {reduced.width} x {reduced.height}, corners {corners}")
    if corners != [RED] * 4:
        sys.exit("this has changed: the whole picture has one red corner and three blue ones")
PYTHON
