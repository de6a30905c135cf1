"""Pictures and access masters come from `made_pyramids`, records from `deliver_records`."""

import sys
from pathlib import Path

UNIT = Path(__file__).parents[2]
sys.path += [str(UNIT / "ingest"), str(UNIT / "deliver")]
