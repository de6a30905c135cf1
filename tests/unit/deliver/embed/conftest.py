"""Pictures and their access masters come from `made_pyramids`, of the writer's tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "ingest"))
