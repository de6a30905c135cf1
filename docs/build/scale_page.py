"""Prints docs/explanations/scale.md: `python -m docs.build.scale_page`; a test compares them."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from capacity.plan.ingest_work import (
    CONVERTER,
    REQUEST_SECONDS,
    SLOWER,
    STARTER,
    TRANSITIONS,
    Measured,
    measured,
)
from capacity.plan.prices import PRICES_AS_OF, price
from docs.build.scale import IMAGES, REGION, Bill, Setting, bill, settings
from docs.build.scale_quotas import QUOTAS
from stacks.environments import MOST_EXECUTIONS, PROD

_MILLION = IMAGES // 1_000_000


def page(image: Measured) -> str:
    """The page, in Markdown."""
    found = list(settings(image))
    parts = (_head(image), _hours(found), _quotas(found), _dollars(image), _advice(found))
    return "\n\n".join(block for part in parts for block in part) + "\n"


def _text(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 100, subsequent_indent=indent, break_on_hyphens=False)


def _table(head: str, rule: str, rows: Iterable[Sequence[str]]) -> str:
    return "\n".join([head, rule, *(f"| {' | '.join(row)} |" for row in rows)])


def _head(image: Measured) -> Iterator[str]:
    yield f"# {_MILLION} million images"
    yield _text(
        "What the ingest of a national collection takes on AWS: which quotas it meets, how many "
        "hours, how many dollars. Printed by `python -m docs.build.scale_page`, with prices of "
        f"{PRICES_AS_OF} in {REGION}. Nothing of this size was run: these are sums, and what "
        "they rest on is said."
    )
    yield _text(
        f"**One image** is the mean of the benchmark's collection (`{image.folder}/run.json`, "
        f"{image.measured_at}): {image.megapixels:.1f} megapixels, a master of "
        f"{image.master_bytes / 1e6:.1f} MB, an access master of "
        f"{image.access_master_bytes / 1e6:.1f} MB, and {image.cpu_seconds:.2f} CPU seconds in "
        f"all Lambdas together. On a Lambda with one virtual CPU ({CONVERTER.mebibytes:,} MB) that "
        f"becomes {image.convert_seconds:.2f} s: {SLOWER} times the CPU (assumed: nothing was "
        "measured on Lambda), both files over its 625 Mbit/s, and its other requests, "
        f"{REQUEST_SECONDS * 1000:.0f} ms each (assumed). Twice the pixels are about twice the "
        "seconds, and twice the dollars of converting."
    )


def _hours(found: list[Setting]) -> Iterator[str]:
    yield "## Hours"
    rows = (
        ("images/s that the converters could do", [f"{one.of_converters:,.0f}" for one in found]),
        (
            "executions at once that our pace allows",
            [f"{one.executions_at_once:,}" for one in found],
        ),
        ("images/s that those could do", [f"{one.of_executions:,.0f}" for one in found]),
        ("**images/s**", [f"**{one.rate:,.0f}**" for one in found]),
        ("starters at once that keep up", [f"{one.starters:,}" for one in found]),
        (f"**hours for {_MILLION} million**", [f"**{one.hours:,.0f}**" for one in found]),
        ("days", [f"{one.hours / 24:.1f}" for one in found]),
    )
    yield _table(
        f"| converters at once | {_names(found)} |",
        "|---|" + "---:|" * len(found),
        ([name, *cells] for name, cells in rows),
    )


def _quotas(found: list[Setting]) -> Iterator[str]:
    yield "## Quotas"
    yield "What is asked of each at the settings; **bold** is more than the default."

    def asked() -> Iterator[Sequence[str]]:
        for quota in QUOTAS:
            amounts = [quota.asked(one.load()) for one in found]
            cells = [f"**{one:,.0f}**" if one > quota.limit else f"{one:,.0f}" for one in amounts]
            yield [quota.name, f"{quota.limit:,.0f}", *cells, quota.raised, quota.source]

    yield _table(
        f"| quota | default | {_names(found)} | at it | source |",
        "|---|---:|" + "---:|" * len(found) + "---|---|",
        asked(),
    )
    yield _text(
        "An account's Lambdas run out first: reserved are the converters, and half as many large "
        "ones, which stand idle here. New accounts have less of them, and fewer transitions."
    )


def _dollars(image: Measured) -> Iterator[str]:
    entries = bill(image)
    whole = sum(entry.dollars for entry in entries)
    yield "## Dollars"
    yield _text(
        f"**${whole:,.0f}**, ${whole / IMAGES * 1000:.2f} per thousand images, **at each of the "
        "settings**: nothing is rented by the hour, so a slower ingest costs the same."
    )
    rows = [[entry.price, entry.what, f"{entry.dollars:,.0f}", *_price(entry)] for entry in entries]
    rows.append(["**together**", "", f"**{whole:,.0f}**", "", ""])
    yield _table(
        f"| for {_MILLION} million images | what for | USD | price | source |",
        "|---|---|---:|---:|---|",
        rows,
    )
    masters = IMAGES * image.master_bytes / 1e9
    access = IMAGES * image.access_master_bytes / 1e9
    yield _text(
        "Not in it: the upload, a PUT per 16 MB of master; retries, which are billed as "
        "transitions; X-Ray; the masters' move to Glacier Instant Retrieval, "
        f"${IMAGES / 1000 * 0.02:,.0f} once; and the keeping: "
        f"{access / 1000:,.0f} TB of access masters at $0.023 per GB are ${access * 0.023:,.0f} a "
        f"month, {masters / 1000:,.0f} TB of masters at $0.004 are ${masters * 0.004:,.0f}."
    )


def _price(entry: Bill) -> tuple[str, str]:
    line = price(entry.price, REGION)
    return str(line.usd), line.source


def _advice(found: list[Setting]) -> Iterator[str]:
    least, middle, most, unpaced = found
    starters = PROD.ingest.parallel_starts
    started = starters / STARTER.seconds
    yield "## What follows"
    points = (
        f"**{least.converters} converters** need {_raised(least)}, and {least.hours / 24:.0f} "
        "days.",
        f"`prod` has {PROD.small_converter.at_once} small converters, and {starters} starters, "
        f"which start {started:.0f} images/s: for a burst like this raise "
        "`ingest.parallel_starts` first. It costs nothing.",
        f"**{middle.converters} converters** need {_raised(middle)}, and {middle.hours / 24:.1f} "
        "days: the sensible end.",
        f"**{most.converters:,} converters** do {most.rate / middle.rate:.1f} times as much as "
        f"{middle.converters}, because our pace allows {MOST_EXECUTIONS} executions at once "
        "(`MOST_EXECUTIONS` in `stacks/environments.py`: one page of ListExecutions). Without it "
        f"they would be done in {unpaced.hours:,.0f} hours, and need {_raised(unpaced)}.",
        "Each starter asks for ListExecutions every two seconds. AWS allows a few a second (no "
        "confirmed number); a starter that is refused lets its uploads wait.",
        f"An execution makes {TRANSITIONS} transitions, its start included. Reading the header in "
        "the starter would save one, and a rejection would have no execution to be looked up in.",
        "Masters in many folders (one a year, say) spread S3's request rate over many prefixes.",
        "`vitrine masters migrate` dispatches 100 images a second at the most, "
        f"{IMAGES / 100 / 3600:,.0f} hours for all, and each of its looks at an unfinished ingest "
        "is one more transition.",
    )
    yield "\n".join(_text(f"- {point}", "  ") for point in points)


def _names(found: list[Setting]) -> str:
    return " | ".join(one.name for one in found)


def _raised(setting: Setting) -> str:
    met = sum(quota.asked(setting.load()) > quota.limit for quota in QUOTAS)
    return ("no quota raised", "one quota raised")[met] if met < 2 else f"{met} quotas raised"


if __name__ == "__main__":
    print(page(measured()), end="")
