"""What an import of redirects takes on AWS: requests, USD and minutes, by its own arithmetic.

`python -m docs.build.redirect_import_price_page` prints docs/reference/redirect-import-price.md;
a test compares them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from vitrine.adapters.aws.items import record_item
from vitrine.migrate.price import PRICES, PRICES_AS_OF
from vitrine.records import Redirect

ROWS = 1_000_000
WRITES_PER_SECOND = 4_000
"""Write units of a table and of each of its indexes: what a new on-demand table serves at once
(DynamoDB, "Initial throughput for on-demand capacity mode"), and the bound that we set."""
PUTS_PER_SECOND = 3_500
"""Of a bucket before S3 has split its keys (S3, "Best practices design patterns")."""
INDEXES = 2
"""by-listing and by-target hold a redirect once more each."""
WRITE_UNIT_BYTES, READ_UNIT_BYTES = 1_024, 4_096


@dataclass(frozen=True, kw_only=True)
class Requests:
    """What the import of new redirects asks of AWS. Units as DynamoDB counts them."""

    puts: int
    write_units: int
    read_units: float
    events: int


def example() -> Redirect:
    """A redirect with identifiers as museums have them."""
    return Redirect(
        identifier="collection/object/1985.1042.17-verso",
        revision=1,
        target="RP-P-1985-1042-17-verso",
        changed_at="2026-11-21T12:00:00.000Z",
        note="catalogue of 1985",
    )


def item_bytes(redirect: Redirect) -> int:
    """Size of its item: UTF-8 of names and values; a number has a byte per two digits, and one."""
    size = 0
    for name, value in record_item(redirect).items():
        [(kind, content)] = value.items()
        size += len(name) + (len(content.encode()) if kind == "S" else len(content) // 2 + 2)
    return size


def requests(rows: int, redirect: Redirect) -> Requests:
    """Of `rows` new redirects to as many different images.

    Each: old and target are read in batches, eventually consistent; the register writes journal,
    item and event. At the end all redirects and their targets are read once, as consistently.
    """
    size = item_bytes(redirect)
    writes = math.ceil(size / WRITE_UNIT_BYTES) * (1 + INDEXES)
    per_row = 0.5 + 0.5 + 0.5 + 0.5 * size / READ_UNIT_BYTES
    return Requests(puts=rows, write_units=rows * writes, read_units=rows * per_row, events=rows)


def dollars(asked: Requests, region: str) -> dict[str, float]:
    """USD, by what it is for. Raises KeyError: region not known."""
    prices = PRICES[region]
    return {
        "S3 PUTs of the journal": asked.puts * prices.put,
        "DynamoDB write units": asked.write_units * prices.write_unit,
        "DynamoDB read units": asked.read_units * prices.read_unit,
        "EventBridge events": asked.events * prices.event,
    }


def minutes(rows: int, client_cpu_ms: float) -> dict[str, float]:
    """How long each would take alone; the longest counts.

    `client_cpu_ms` is what one row takes of a core of the machine that imports.
    """
    return {
        "DynamoDB, 4,000 write units a second": rows / WRITES_PER_SECOND / 60,
        "S3, 3,500 PUTs a second": rows / PUTS_PER_SECOND / 60,
        "one core of the machine that imports": rows * client_cpu_ms / 60_000,
    }


CLIENT_CPU_MS = 4.1
"""Measured: results/2026-11-21-redirect-import."""


def page() -> str:
    """The page, in Markdown."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    redirect = example()
    asked = requests(ROWS, redirect)
    regions = list(PRICES)
    yield "# What a million redirects cost to import"
    yield ""
    yield "Printed by `python -m docs.build.redirect_import_price_page`: the requests that"
    yield "`vitrine redirects import` makes for a million new redirects to a million images, at"
    yield f"list prices of {PRICES_AS_OF}, without tax and free tiers: on paper, not run on AWS."
    yield ""
    yield f"| | number | {' | '.join(regions)} |"
    yield "|---|---:|" + "---:|" * len(regions)
    numbers = (asked.puts, asked.write_units, asked.read_units, asked.events)
    costs = [dollars(asked, region) for region in regions]
    for name, number in zip(costs[0], numbers, strict=True):
        cells = " | ".join(f"${cost[name]:,.2f}" for cost in costs)
        yield f"| {name} | {number:,.0f} | {cells} |"
    sums = " | ".join(f"**${sum(cost.values()):,.2f}**" for cost in costs)
    yield f"| **together** | | {sums} |"
    yield ""
    yield f"An item has {item_bytes(redirect)} bytes here; each of its three copies (table and two"
    yield "indexes) is one write unit up to 1 KiB. Storage is some cents a month."
    yield ""
    yield "| what bounds it | minutes |"
    yield "|---|---:|"
    for name, duration in minutes(ROWS, CLIENT_CPU_MS).items():
        yield f"| {name} | {duration:,.1f} |"
    yield ""
    yield f"The last line is {CLIENT_CPU_MS:g} ms of CPU per row, as measured on one machine"
    yield "(`results/2026-11-21-redirect-import/`). Imports may run side by side, each with a part"
    yield "of the file, on several cores and machines: none undoes what another did."


if __name__ == "__main__":
    print(page(), end="")
