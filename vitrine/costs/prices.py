"""List prices of AWS by region, from one dated table with the source of every line.

`prices.csv` is the only place of a price: the report of a migration, the capacity planner, the
load tests and the pages in docs/ read it. `confirmed` says whether AWS's own list, page or a bill
says so, on the date in `as_of`; `undated` are sources that print no date, and memory.
"""

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

PRICES_AS_OF = "2026-11-20"
HOURS = 730
"""Per month, as AWS counts them."""
_TABLE = Path(__file__).with_name("prices.csv")
_EVERYWHERE = "*"


@dataclass(frozen=True)
class Price:
    """A list price: what one of `item` costs in USD, without tax."""

    item: str
    region: str
    usd: float
    confirmed: bool
    as_of: str
    """The day (ISO 8601) on which the source had it, or `undated`."""
    source: str

    @property
    def origin(self) -> str:
        """Source and date in one line."""
        return f"{self.source}, {self.as_of}"


@lru_cache(1)
def table() -> tuple[Price, ...]:
    """Return all lines."""
    with _TABLE.open(newline="", encoding="utf-8") as file:
        return tuple(
            Price(
                row["item"],
                row["region"],
                float(row["usd"]),
                row["confirmed"] == "yes",
                row["as_of"],
                row["source"],
            )
            for row in csv.DictReader(file)
        )


def regions() -> tuple[str, ...]:
    """Return the regions whose prices are known."""
    return tuple(sorted({line.region for line in table()} - {_EVERYWHERE}))


def price(item: str, region: str) -> Price:
    """Return the price of an item. Raise KeyError for a region or an item that the table lacks."""
    found = _index_prices().get((item, region)) or _index_prices().get((item, _EVERYWHERE))
    if found is None or region not in regions():
        raise KeyError(f"no price of {item!r} in {region!r}")
    return found


@lru_cache(1)
def _index_prices() -> dict[tuple[str, str], Price]:
    return {(line.item, line.region): line for line in table()}
