"""The table of a drill of losses."""

from collections.abc import Mapping
from typing import Any


def format_table(figures: Mapping[str, Any]) -> str:
    """Markdown: what was lost, how long it took to be whole again, what is not as before."""
    items = ", ".join(
        f"{count:,} {kind.replace('_', ' ')}" for kind, count in figures["items"].items()
    )
    lines = [
        f"Compared after each loss: {items}.",
        "",
        "| lost | commands took | whole again after | not as before |",
        "|---|---:|---:|---:|",
        *(
            f"| {loss['lost']} | {loss['commands_seconds']} s | {loss['whole_after_seconds']} s "
            f"| {sum(map(len, loss['different'].values()))} |"
            for loss in figures["losses"]
        ),
        "",
    ]
    return "\n".join(lines)
