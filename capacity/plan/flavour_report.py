"""The part of a plan's report that says which flavour to take."""

from collections.abc import Iterator, Mapping
from typing import Any

from loadtest.report.document import Part, Table, Text


def flavours_parts(flavours: Mapping[str, Any]) -> Iterator[Part]:
    """Return what `price_flavours` says."""
    yield Text(
        f"With {flavours['visits_per_year']:,.0f} visits a year take the flavour "
        f"{flavours['take']} (environments.toml). A serverless month is not simulated: it assumes "
        "that every visit starts all its Lambdas, which the first viewer after a quiet time waits "
        "for; CPU and starts were measured on a machine of ours, and nothing of it on AWS."
    )
    rows = [
        (
            one["name"],
            f"{one['usd']:,.0f}",
            "not simulated" if one["p95_ms"] is None else f"{one['p95_ms']:,.0f}",
            "TAKE" if one["name"] == flavours["take"] else "kept" if one["keeps"] else "missed",
        )
        for one in flavours["months"]
    ]
    yield Table("The same visits in each flavour", ("flavour", "USD", "p95 ms", "target"), rows)
