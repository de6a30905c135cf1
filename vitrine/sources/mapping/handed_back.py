"""The table handed back: its rows with the address of each manifest in one more column."""

import csv
from collections.abc import Mapping
from pathlib import Path

from vitrine.sources.mapping.spreadsheet import Spreadsheet
from vitrine.text.formulas import harmless

COLUMN = "iiif_manifest"


def hand_back(table: Spreadsheet, addresses: Mapping[int, str], path: Path) -> int:
    """Write a spreadsheet's rows as CSV, with addresses by the number of the row.

    Returns how many rows have one. Raises OSError.
    """
    names = [name for name in table.columns if name and name != COLUMN]
    count = 0
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*map(harmless, names), COLUMN])
        for row in table.rows(set()):
            address = addresses.get(row.number, "")
            cells = [harmless("".join(row.values.get(name, ()))) for name in names]
            writer.writerow([*cells, address])
            count += bool(address)
    return count
