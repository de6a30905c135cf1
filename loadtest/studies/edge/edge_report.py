"""The tables of a run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def table(figures: Mapping[str, Any]) -> str:
    """Markdown: replays, then spellings."""
    return "\n".join(
        [
            "### Replayed through the edge",
            "",
            *_table(
                ("list", "turn", "asked", "different", "origin asked", "hits", "failures"),
                map(_replayed, figures["replays"]),
            ),
            "",
            "### Spellings of one request",
            "",
            *_table(
                ("spelling", "the function can know it", "origin asked again", "rendered again"),
                map(_spelt, figures["spellings"]),
            ),
            "",
        ]
    )


def _replayed(row: Mapping[str, Any]) -> Sequence[object]:
    return (
        row["label"],
        row["turn"],
        row["requests"],
        row["different"],
        row["origin_requests"],
        f"{row['hit_percent']} %",
        row["failures"],
    )


def _spelt(row: Mapping[str, Any]) -> Sequence[object]:
    return (
        row["what"],
        "yes" if row["known"] else "no",
        row["origin_requests"],
        int(row["rendered_again"]),
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(str(cell) for cell in row)} |" for row in rows),
    ]
