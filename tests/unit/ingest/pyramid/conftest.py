"""Pictures and their access masters come from `made_pyramids`, one folder up."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
