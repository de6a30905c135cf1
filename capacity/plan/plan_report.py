"""The report of a plan: the answer first, then what it rests on."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from capacity.plan.flavour_report import flavours_parts
from loadtest.report.charts import Series, grouped_bars, line_chart
from loadtest.report.document import Chart, Heading, Part, Table, Text

CENT = 0.01
_FAR_APART = 10
"""Times that differ by more are drawn on a logarithmic scale."""
_Run = Mapping[str, Any]


def plan_parts(run: _Run, name: str = "plan") -> Sequence[Part]:
    """Return the report of a run of `plan`; `name` keeps its charts apart from others on a page."""
    charted = (_visitor_parts, _bill_parts, _growth_parts, _candidate_parts)
    sections = [part for section in charted for part in section(run, name)]
    return [*_answer_parts(run), *sections, *_rests_on(run)]


def design_words(design: Mapping[str, Any]) -> str:
    """Describe a design in a line."""
    words = [
        f"{design['minimum']} to {design['maximum']} tasks of {design['vcpus']:g} vCPU and "
        f"{design['memory_gibibytes']:g} GiB",
        f"{design['cache_gibibytes']:g} GiB cache",
        f"{design['spot_share_percent']} % Spot beyond the minimum",
        "Origin Shield" if design["origin_shield"] else "no Origin Shield",
    ]
    return ", ".join(words)


def _answer_parts(run: _Run) -> Iterator[Part]:
    question, design, figures = run["question"], run["design"], run["figures"]
    p95, usd = figures["p95 ms"], run["month"]["usd"]
    budget = question["budget"]
    yield Text(
        f"{question['images']:,} images of {question['megapixels']:g} megapixels, "
        f"{question['visits_per_day']:,.0f} visits a day, {question['peak_factor']:g} times the "
        f"mean in the busiest hour, {question['region']}; 95 of 100 requests within "
        f"{question['target_p95_ms']:g} ms"
        + (f", for at most ${budget:,.0f} a month." if budget else ".")
    )
    rows = [
        ("tasks, always", f"{design['minimum']}"),
        ("tasks, at most", f"{design['maximum']}"),
        ("of vCPUs", f"{design['vcpus']:g}"),
        ("of memory (not simulated)", f"{design['memory_gibibytes']:g} GiB"),
        ("cache of access masters, each task", f"{design['cache_gibibytes']:g} GiB"),
        ("Spot, beyond the minimum", f"{design['spot_share_percent']} %"),
        ("Origin Shield", "yes" if design["origin_shield"] else "no"),
        ("edge hit ratio, at least", _format_percent(figures["edge hit ratio"])),
        ("p95 at the viewer", _format_interval(p95, "ms")),
        ("USD per month", f"{usd:,.0f} ± {run['month']['half_width']:,.0f}"),
    ]
    yield Table("The cheapest design that keeps the target", ("what", "answer"), rows)
    if not run["within_budget"]:
        yield Text(
            f"It costs more than the budget of ${budget:,.0f}: no design that was tried is cheaper."
        )
    yield Text(_first_break(run))


def _first_break(run: _Run) -> str:
    met = [name for name, limit in run["quotas"].items() if limit["now"] > limit["limit"]]
    now = f"Above AWS's default already: {'; '.join(met)}. " if met else ""
    sentences = []
    for one in run["growth"]:
        times = f"At {one['factor']} times the visits"
        words = f"first breaks {one['breaks']}" if one["breaks"] else "the target is kept"
        sentences.append(f"{times} {words}.")
    return now + " ".join(sentences)


def _visitor_parts(run: _Run, name: str) -> Iterator[Part]:
    stretch = run["stretch"]
    yield Heading("What viewers feel in the busiest hour")
    yield Text(
        f"{run['replications']} replications of {stretch['hours'] * 60:.0f} minutes around the "
        f"busiest moment, {sum(stretch['visits']):,} visits in all, the edge filled by the "
        f"visits of the {stretch['warm_days']:.3g} days before; intervals of "
        f"{100 * run['confidence']:.0f} %. Times are from sending to the last byte."
    )
    rows = [(figure, _format_figure(figure, one)) for figure, one in run["figures"].items()]
    yield Table("Busiest hour", ("figure", "mean"), rows)
    hours = [hour["hour"] for hour in run["day"]]
    needed = Series("tasks", 0, hours, [hour["tasks"] for hour in run["day"]])
    yield Chart(
        f"{name}-day",
        "Tasks that the load asks for, through a day",
        line_chart(f"{name}-day", [needed], "hours from the busiest moment", "tasks"),
    )


def _bill_parts(run: _Run, name: str) -> Iterator[Part]:
    month = run["month"]
    yield Heading("What a month costs")
    services = month["by_service"]
    rows = [(service, f"{usd:,.2f}") for service, usd in services.items()]
    rows.append(("together", f"{month['usd']:,.2f}"))
    yield Table("USD per month, without tax", ("service", "USD"), rows)
    shown = [service for service, usd in services.items() if usd >= 0.005 * month["usd"]]
    yield Chart(
        f"{name}-month",
        "USD per month by service",
        grouped_bars(
            f"{name}-month", shown, [("USD per month", [services[one] for one in shown])], "USD"
        ),
    )
    lines_of_bill = [
        (
            line["item"],
            "yes" if line["confirmed"] else "NO",
            line["source"],
            f"{line['quantity']:,.1f}",
            f"{line['each']:.10f}".rstrip("0").rstrip("."),
            f"{line['usd']:,.2f}",
        )
        for line in month["lines"]
        if abs(line["usd"]) >= CENT / 2
    ]
    header = ("item", "confirmed", "source of the price", "quantity", "each", "USD")
    yield Table(
        f"Prices as of {month['prices_as_of']}; cents and more", header, lines_of_bill, words=3
    )
    ingest = month["ingest_of_all"]
    doubtful = math.fsum(line["usd"] for line in month["lines"] if not line["confirmed"])
    yield Text(
        f"${doubtful:,.2f} of it stand on prices that are not confirmed. Ingesting the whole "
        f"collection costs ${math.fsum(ingest.values()):,.2f} once: "
        + ", ".join(f"{name} ${usd:,.2f}" for name, usd in ingest.items())
        + ". Not in it: tax, support, retries, "
        "data that curators upload, savings plans (up to half of Fargate), flat-rate plans of "
        "CloudFront, free tiers but CloudFront's (ten alarms, 5 GB of logs and others: some $3)."
    )
    yield _access_masters(month)
    yield _prod_text(run)
    if "flavours" in run:  # older runs have none
        yield from flavours_parts(run["flavours"])


def _access_masters(month: _Run) -> Text:
    tiers = month["tiers"]
    return Text(
        f"Access masters, ${month['access_masters']:,.2f}, lie in Intelligent-Tiering: "
        f"{100 * tiers['frequent']:.0f} % are read within 30 days, {100 * tiers['infrequent']:.0f} "
        f"% within 90, {100 * tiers['archive']:.0f} % less often. The visits' index pages go "
        "through the whole collection, one image after another; if only what somebody opens were "
        f"read, it would be ${month['access_masters_opened']:,.2f}."
    )


def _prod_text(run: _Run) -> Text:
    prod = run["prod"]
    return Text(
        f"prod as it is deployed ({design_words(prod['design'])}) costs ${prod['usd']:,.2f} a "
        f"month with the same visits, and its p95 is "
        f"{_format_interval(prod['figures']['p95 ms'], 'ms')}: "
        "change `image_task` in environments.toml for the design of this plan."
    )


def _growth_parts(run: _Run, name: str) -> Iterator[Part]:
    yield Heading("What breaks first")
    stations = [(one["name"], one["because"], f"{one['factor']:,.1f} x") for one in run["stations"]]
    header = ("station", "why", "saturated at")
    yield Table("Estimated from what a visit asks for today", header, stations, words=2)
    simulated = [one for one in run["growth"] if one["figures"]]
    if simulated:
        yield from _grown_parts(run, simulated, name)
    growth = run["growth"]
    quotas = [
        (
            quota,
            limit["at_it"],
            limit["source"],
            f"{limit['limit']:,.0f}",
            _format_load(limit["now"], limit["limit"]),
            *(_format_load(one["asked"][quota], limit["limit"]) for one in growth),
        )
        for quota, limit in run["quotas"].items()
    ]
    factors = [f"{one['factor']} x" for one in growth]
    yield Table(
        "Quotas of AWS (MET: more is asked for)",
        ("quota", "there", "source", "default", "now", *factors),
        quotas,
        words=3,
    )
    yield Text(
        "The load balancer has no quota on requests; how fast it grows, AWS does not say. A rate "
        "that no rule of ours limits may be limited by the web ACL's rate rule, per address."
    )


def _grown_parts(run: _Run, simulated: Sequence[_Run], name: str) -> Iterator[Part]:
    stages = [("1", run["figures"])]
    stages += [(str(one["factor"]), _plain_figures(one["figures"])) for one in simulated]
    names = ("p50 ms", "p95 ms", "p99 ms", "edge hit ratio", "failed", "CPU percent")
    rows = [
        (one, *(_format_bare(one, figures[one]["mean"]) for _, figures in stages)) for one in names
    ]
    header = ("figure", *(f"{factor} x" for factor, _ in stages))
    yield Table("The same design, its maximum kept", header, rows)
    bars = [(one, [figures[one]["mean"] for _, figures in stages]) for one in names[:3]]
    every = [value for _, values in bars for value in values]
    far = max(every) > _FAR_APART * min(every)
    yield Chart(
        f"{name}-growth",
        "Response times at multiples of the visits",
        grouped_bars(f"{name}-growth", header[1:], bars, "ms", logarithmic=far),
    )


def _candidate_parts(run: _Run, name: str) -> Iterator[Part]:
    yield Heading("What was tried")
    rows = [
        (
            design_words(one["design"]),
            "CHOSEN" if one["chosen"] else "kept" if one["keeps"] else "missed",
            f"{one['p95_ms']:,.0f}",
            f"{one['p99_ms']:,.0f}",
            f"{one['failures']:,}",
            _format_percent({"mean": one["edge_hit_ratio"]}),
            f"{one['peak_tasks']}",
            f"{one['usd']:,.0f}",
        )
        for one in sorted(run["candidates"], key=lambda one: one["usd"])
    ]
    header = ("design", "target", "p95 ms", "p99 ms", "503s", "edge hits", "tasks", "USD")
    yield Table("Designs, cheapest first, the same visits", header, rows, words=2)
    sizes = sorted({one["design"]["vcpus"] for one in run["candidates"]})
    series = []
    for number, vcpus in enumerate(sizes):
        of_size = [one for one in run["candidates"] if one["design"]["vcpus"] == vcpus]
        of_size.sort(key=lambda one: one["usd"])
        usd, p95 = [one["usd"] for one in of_size], [one["p95_ms"] for one in of_size]
        series.append(Series(f"{vcpus:g} vCPU", number, usd, p95))
    yield Chart(
        f"{name}-designs",
        "Designs that were tried: what they cost, and what they feel like",
        line_chart(f"{name}-designs", series, "USD per month", "p95, ms"),
    )


def _rests_on(run: _Run) -> Iterator[Part]:
    yield Heading("What it rests on")
    assumed = [name for name, origin in run["profile"].items() if origin.startswith("assumed")]
    yield Text(
        f"{len(run['profile'])} numbers of the profile, of which {len(assumed)} are assumed: "
        f"{', '.join(assumed)}. Put your own in their place with --profile."
    )
    yield Text(
        "The busiest hour is simulated, a month is estimated from it: each visit asks for what the "
        "simulated ones asked for, and the autoscaler follows the day's curve. The edge is filled "
        "by days of visits, the tasks' disks by the last of them only: caches that nothing was "
        "evicted from are alike, whatever their size. Equal seeds give equal figures."
    )


def _format_load(amount: float, limit: float) -> str:
    return f"{amount:,.1f}" + (" MET" if amount > limit else "")


def _plain_figures(figures: Mapping[str, float]) -> dict[str, dict[str, float]]:
    return {name: {"mean": value} for name, value in figures.items()}


def _format_figure(name: str, one: Mapping[str, float]) -> str:
    if name in ("edge hit ratio", "failed"):
        return f"{_format_percent(one)} ± {100 * one['half_width']:.1f}"
    return _format_interval(one, "")


def _format_bare(name: str, value: float) -> str:
    return (
        _format_percent({"mean": value})
        if name in ("edge hit ratio", "failed")
        else f"{value:,.0f}"
    )


def _format_percent(one: Mapping[str, float]) -> str:
    return f"{100 * one['mean']:.1f} %"


def _format_interval(one: Mapping[str, float], unit: str) -> str:
    return f"{one['mean']:,.1f} ± {one['half_width']:,.1f} {unit}".rstrip()
