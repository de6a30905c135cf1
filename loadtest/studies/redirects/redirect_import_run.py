"""A large import, really made: redirects a second, CPU on both sides, the price of a repetition."""

import csv
import os
import resource
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loadtest.figures.process_cpu import usage
from vitrine.bootstrap.deployment import Deployment
from vitrine.bootstrap.environments import LOCAL
from vitrine.bootstrap.local_service import local_directory
from vitrine.errors import VitrineError
from vitrine.identify.redirects.bulk import THREADS, Workers
from vitrine.identify.redirects.bulk_import import ImportOptions, plan_import, write_import
from vitrine.identify.redirects.csv_file import read_rows
from vitrine.identify.redirects.import_plan import open_import_plan
from vitrine.identify.redirects.redirects import Redirects
from vitrine.local import process
from vitrine.local.emulator import NAME

CHAINED = 10
"""One row in this many leads to the row before it."""
ROWS_PER_REPORT = 5_000


def measure_import(
    service: Deployment, rows: int, progress: Callable[[str], None]
) -> dict[str, Any]:
    """Import `rows` new redirects to a live image, then the same file again.

    On one machine only; they stay there. Raises VitrineError elsewhere, or without an image.
    """
    if service.environment != LOCAL:
        raise VitrineError("this leaves its redirects behind, so it only runs on one machine")
    images = service.identifiers.newest(1)
    if not images:
        raise VitrineError("there is no image to redirect to: `vitrine ingest` one")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "redirects.csv"
        write_file(path, rows, f"former-{uuid.uuid4().hex[:8]}", images[0].identifier)
        first = _import(service, path, progress)
        again = _import(service, path, progress)
    return {
        "rows": rows,
        "load_average": round(os.getloadavg()[2], 1),
        "threads": THREADS,
        "rows_per_second": round(rows / first["write_seconds"], 1),
        "client_cpu_ms_per_row": round(1_000 * first["client_cpu_seconds"] / rows, 2),
        "emulator_cpu_ms_per_row": round(1_000 * first["emulator_cpu_seconds"] / rows, 2),
        "repetition_seconds": round(again["plan_seconds"] + again["write_seconds"], 1),
        "repetition_written": again["written"],
        "peak_mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "first": first,
        "again": again,
    }


def write_file(path: Path, rows: int, prefix: str, target: str) -> None:
    """Write a file of `rows` redirects to `target`, some through others."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("old", "new", "note"))
        for number in range(rows):
            chained = number % CHAINED == CHAINED - 1
            new = f"{prefix}/{number - 1:07}" if chained else target
            writer.writerow((f"{prefix}/{number:07}", new, "measured"))


def _import(service: Deployment, path: Path, progress: Callable[[str], None]) -> dict[str, Any]:
    redirects = Redirects(service.register)
    emulator = [item.pid for item in process.read_notes(local_directory()) if item.name == NAME]

    def report_progress(stage: str, done: int, total: int | None) -> None:
        if done % ROWS_PER_REPORT == 0:
            progress(f"{stage}: {done:,}" + (f" of {total:,}" if total else ""))

    with open_import_plan() as plan, Workers() as workers:
        begun, cpu, emulated = time.monotonic(), time.process_time(), usage(emulator).cpu_seconds
        plan_import(redirects, plan, read_rows(path), ImportOptions(), workers, report_progress)
        planned = time.monotonic()
        written = write_import(redirects, plan, ImportOptions(), workers, report_progress)
        ended = time.monotonic()
        if plan.faults_by_code() or written.refused:
            raise VitrineError(f"not imported: {plan.faults_by_code()} {written.refused[:3]}")
    return {
        "plan_seconds": round(planned - begun, 2),
        "write_seconds": round(ended - planned, 2),
        "client_cpu_seconds": round(time.process_time() - cpu, 2),
        "emulator_cpu_seconds": round(usage(emulator).cpu_seconds - emulated, 2),
        **written.counts,
    }
