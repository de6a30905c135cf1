"""A manifest of a million rows is checked in bounded memory.

By default a fifth of that, to save time; VITRINE_TEST_ROWS=1000000 checks all.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROWS = int(os.environ.get("VITRINE_TEST_ROWS", "200000"))
BOUND_MEBIBYTES = 100
"""Memory of the whole process for any number of rows: the rows themselves would take more."""

CHECK = """
import json, re, sys
from pathlib import Path
from types import SimpleNamespace
from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.migrate.collection_rows import plan_manifest_rows
from vitrine.migrate.plan import MigrationPlan
ingest = SimpleNamespace(identifier_rule=IdentifierRule())
services = SimpleNamespace(ingest=ingest, masters_bucket="masters")
with MigrationPlan(sys.argv[2]) as plan:
    plan.fill(plan_manifest_rows(Path(sys.argv[1]), services, lambda: None))
    reasons = {code: count for (_, code), count in plan.reasons().items()}
    waiting = sum(1 for _ in plan.all_waiting())
# getrusage would include the test's own process, from before the exec.
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024
print(json.dumps({"waiting": waiting, "reasons": reasons, "peak": peak}))
"""


def test_rows_without_number_are_checked_in_bounded_memory(tmp_path: Path) -> None:
    manifest = tmp_path / "m.csv"
    with manifest.open("w", encoding="utf-8-sig", newline="") as file:
        file.write("source,identifier,title\r\n")
        for number in range(ROWS - 3):
            file.write(f's3://masters/{number:07}.tif,ID-{number},"Blatt ""{number}"", verso"\r\n')
        file.write("s3://masters/x.tif,ID-5,\r\ns3://masters/0000007.tif,ID-7,\r\n,none,\r\n")
    done = subprocess.run(
        [sys.executable, "-c", CHECK, str(manifest), str(tmp_path / "plan")],
        capture_output=True,
        text=True,
        check=True,
    )
    report = json.loads(done.stdout)
    assert report["reasons"] == {"duplicate-identifier": 2, "duplicate-source": 1, "bad-row": 1}
    assert report["waiting"] == ROWS - 4
    assert report["peak"] < BOUND_MEBIBYTES, report
