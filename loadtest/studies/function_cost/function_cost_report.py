"""The table of a run."""

from collections.abc import Mapping
from typing import Any

_HEAD = "| request | CPU ms | ms | GB-seconds | memory, MiB |\n|---|---:|---:|---:|---:|"


def table(figures: Mapping[str, Any]) -> str:
    """Markdown: medians of the environments; GB-seconds are those of one vCPU, without waits."""
    lines = [
        f"| {row['kind']} | {row['cpu_ms']:,.2f} | {row['ms']:,.2f} "
        f"| {row['billed_gb_seconds']:.6f} | {row['resident_mebibytes']:,} |"
        for row in figures["medians"]
    ]
    return "\n".join([_HEAD, *lines, ""])


def has_room(figures: Mapping[str, Any]) -> bool:
    """Return True if no environment held more memory than the Lambda has."""
    most = max(row["resident_mebibytes"] for row in figures["medians"])
    return bool(most <= figures["megabytes"])
