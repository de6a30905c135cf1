"""Pyramids of many writers come from `open_bed`, of the opened pyramids' tests."""

import sys
from pathlib import Path

UNIT = Path(__file__).parents[2]
sys.path += [str(UNIT / "ingest"), str(UNIT / "deliver"), str(UNIT / "deliver/pyramids")]
