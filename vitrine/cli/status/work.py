"""What nginx, the gateway and iipsrv each did, on this machine."""

from dataclasses import asdict
from typing import Any

from vitrine.bootstrap.environments import LOCAL
from vitrine.bootstrap.local_service import NotRunning, local_directory, local_service
from vitrine.local.work import read_minutes, read_programs_work

Work = dict[str, list[dict[str, Any]]]


def read_work(environment: str) -> Work:
    """Return the work of each program so far, and of the last minutes; nothing of AWS.

    There, CloudWatch has it: docs/reference/metrics.md.
    """
    if environment != LOCAL:
        return {"programs": [], "minutes": []}
    directory = local_directory()
    try:
        programs = read_programs_work(directory, local_service())
    except NotRunning:
        programs = []
    return {
        "programs": [asdict(item) for item in programs],
        "minutes": [asdict(item) for item in read_minutes(directory)],
    }


def work_lines(work: Work) -> list[str]:
    """Return a line for each program."""
    return [f"{'Work':9}{describe(item)}" for item in work["programs"]]


def describe(item: dict[str, Any]) -> str:
    """Return what a program did, in a line."""
    did = ", ".join(f"{count:,} {what}" for what, count in item["did"].items())
    seconds = item["cpu_seconds"]
    cpu = "it does not run" if seconds is None else f"{seconds:,.1f} s of CPU"
    return f"{item['program']}: {did}; {cpu}"
