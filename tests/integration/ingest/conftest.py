"""Pictures and their access masters, as the unit tests of the writer make them."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "unit" / "ingest"))
