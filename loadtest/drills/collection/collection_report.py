"""The table of a drill of a collection."""

from collections.abc import Mapping
from typing import Any

from loadtest.drills.collection.collection_drill import READS


def table(figures: Mapping[str, Any]) -> str:
    """Markdown: what was published, and what the same command did once more."""
    count, crops = figures["photographs"], figures["crops"]
    calls = figures["again"]["calls"]
    writes = sum(number for name, number in calls.items() if not name.startswith(READS))
    kills = " and ".join(f"{kill['images']:,}" for kill in figures["kills"])
    return "\n".join(
        [
            f"{count:,} photographs, {crops:,} of them parts of others.",
            "",
            "| | |",
            "|---|---:|",
            f"| killed with so many images published | {kills} |",
            f"| objects published at the end | {figures['objects']:,} |",
            f"| seconds, kills included | {figures['seconds']:,} |",
            f"| calls of AWS by the same command once more | {sum(calls.values()):,} |",
            f"| of these, calls that change anything | {writes:,} |",
            f"| addresses that do not answer as they should | {len(figures['wrong']):,} |",
            "",
        ]
    )
