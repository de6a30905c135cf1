"""Pyramids of many writers, and files that are true only where they are pinned."""

import sys
from pathlib import Path

UNIT = Path(__file__).parents[3] / "unit"
FOLDERS = ("ingest", "deliver", "deliver/pyramids", "deliver/render")
sys.path += [str(UNIT / folder) for folder in FOLDERS]
