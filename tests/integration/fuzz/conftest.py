"""The fuzz targets lie in `tests/fuzz`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "fuzz"))
