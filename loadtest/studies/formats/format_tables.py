"""The run's rows for other programs."""

import csv
from pathlib import Path
from typing import Any


def write_csv(figures: dict[str, Any], folder: Path) -> None:
    """`encodings.csv`, a line for each encoding; `requests.csv`, one for each good answer."""
    rows = figures["encodings"]
    names = list(dict.fromkeys(name for row in rows for name in row))
    with (folder / "encodings.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, names, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    with (folder / "requests.csv").open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["server", "format", "kind", "round", "milliseconds", "bytes"])
        for row in figures["rounds"]:
            head = [row[name] for name in ("server", "format", "kind", "round")]
            for time, size in zip(row["milliseconds"], row["bytes"], strict=True):
                lines.writerow([*head, time, size])
