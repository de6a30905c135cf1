"""Pictures, access masters and the question to iipsrv come from the tests of the writer."""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[2]
sys.path += [str(TESTS / "unit/ingest"), str(TESTS / "integration/ingest")]
