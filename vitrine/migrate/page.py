"""The report as one self-contained HTML page: no script, no font, no address but its own."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

SHOWN = 500
"""Rows of one reason on the page; the JSON report has all."""
MEGA, GIGA = 1e6, 1e9
NAMES = {
    "published": "published",
    "unchanged": "unchanged",
    "rejected": "rejected",
    "missing": "missing",
    "failed": "failed",
    "waiting": "not reached",
}
STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --paper: #fff; --faint: #6a6a70; --line: #d8d8dc;
  --published: #1b7f4b; --unchanged: #7fb89a; --rejected: #c98a00; --missing: #8a63b8;
  --failed: #c4322b; --waiting: #b9b9bf; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececf0; --paper: #161618; --faint: #a0a0a8;
  --line: #3a3a40; --published: #3fae74; --unchanged: #5f8f78; --rejected: #e0a92e;
  --missing: #a888d0; --failed: #ea6a62; --waiting: #5a5a62; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p.about { color: var(--faint); margin: .2rem 0 1.4rem; overflow-wrap: anywhere; }
.bar { display: flex; height: 1.6rem; border-radius: .3rem; overflow: hidden; gap: 1px; }
.bar i { min-width: 2px; }
ul.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; padding: 0;
  margin: .7rem 0; }
ul.legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: .15rem;
  margin-right: .4rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: 1rem;
  margin: 0; }
dt { color: var(--faint); font-size: .85rem; } dd { margin: 0; font-size: 1.25rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; table-layout: fixed; }
table.rows th:nth-child(1) { width: 4.5rem; } table.rows th:nth-child(2) { width: 32%; }
table.rows th:nth-child(3) { width: 20%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { color: var(--faint); font-weight: 600; } td.n, th.n { text-align: right; white-space: nowrap; }
summary { cursor: pointer; padding: .4rem 0; } summary b { margin-right: .5rem; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
.verdict { font-weight: 600; }
@media print { :root { --ink: #000; --paper: #fff; --faint: #444; --line: #bbb; }
  body { max-width: none; margin: 0; font-size: 10pt; } tr { break-inside: avoid; }
  .bar, .bar i, ul.legend i { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
"""


def page(told: Mapping[str, Any]) -> str:
    """HTML of what `report` says."""
    return "\n".join(_page(told)) + "\n"


def _page(told: Mapping[str, Any]) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>Migration of {escape(told['source'])}</title>"
    yield f"<style>{STYLE}</style>\n</head>\n<body>\n<main>"
    yield f"<h1>Migration of {escape(told['source'])}</h1>"
    yield f'<p class="about">{escape(_about(told))}</p>'
    yield f'<p class="verdict">{escape(_verdict(told))}</p>'
    yield from _bar(told["counts"])
    yield from _figures(told)
    yield from _unsuccessful(told["unsuccessful"])
    yield from _cost(told["cost"])
    yield "</main>\n</body>\n</html>"


def _about(told: Mapping[str, Any]) -> str:
    begun, ended = (str(told[name])[:19].replace("T", " ") for name in ("begun_at", "ended_at"))
    until = f" until {ended}" if ended else ""
    return f"Environment {told['environment']}, from {begun}{until} (UTC)."


def _verdict(told: Mapping[str, Any]) -> str:
    counts = told["counts"]
    there = counts["published"] + counts["unchanged"]
    if told.get("dry_run"):
        return f"A dry run: {counts['waiting']:,} of {told['rows']:,} rows would be migrated."
    if not told["complete"]:
        return (
            f"Not finished: {there:,} of {told['rows']:,} can be viewed, "
            f"{counts['waiting']:,} were not reached."
            + (f" The state machine failed: {told['cause']}" if told["cause"] else "")
        )
    return f"{there:,} of {told['rows']:,} can be viewed."


def _bar(counts: Mapping[str, int]) -> Iterator[str]:
    shown = {state: counts[state] for state in NAMES if counts[state]}
    label = ", ".join(f"{count:,} {NAMES[state]}" for state, count in shown.items())
    yield f'<div class="bar" role="img" aria-label="{label}">'
    for state, count in shown.items():
        yield f'<i style="flex: {count} 1 0; background: var(--{state})"></i>'
    yield '</div>\n<ul class="legend">'
    for state, count in shown.items():
        mark = f'<i style="background: var(--{state})"></i>'
        yield f"<li>{mark}{count:,} {NAMES[state]}</li>"
    yield "</ul>"


def _figures(told: Mapping[str, Any]) -> Iterator[str]:
    figures = {
        "Masters read": _bytes(told["master_bytes"]),
        "Access masters written": _bytes(told["access_master_bytes"]),
        "Pixels": f"{told['pixels'] / MEGA:,.0f} megapixels",
        "Brought into the bucket": f"{told['imported']:,} masters",
        "Time at work": _duration(told["worked_seconds"]),
        "Rate": f"{told['images_per_hour']:,.0f} images/hour",
        "Speed": f"{told['megapixels_per_second']:,.1f} megapixels/s",
        "Tolerated": f"{told['tolerated_percent']:g} %",
    }
    yield "<h2>Figures</h2>\n<dl>"
    for name, value in figures.items():
        yield f"<div><dt>{name}</dt><dd>{value}</dd></div>"
    yield "</dl>"


def _bytes(count: int) -> str:
    return f"{count / GIGA:,.2f} GB" if count >= GIGA else f"{count / MEGA:,.1f} MB"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def _unsuccessful(reasons: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield "<h2>Not published</h2>"
    none = True
    for reason in reasons:
        none = False
        title = f"{escape(reason['state'])}: <code>{escape(reason['code'])}</code>"
        yield f"<details open>\n<summary><b>{reason['count']:,}</b>{title}</summary>"
        yield '<table class="rows">\n<thead><tr><th class="n">Line</th><th>Source</th>'
        yield "<th>Identifier</th><th>Reason</th></tr></thead>\n<tbody>"
        for row in reason["rows"][:SHOWN]:
            told = row["value"] if row["value"] != row["source"] else ""
            seen = f" <code>{escape(told)}</code>" if told else ""
            yield (
                f'<tr><td class="n">{row["line"]}</td><td>{escape(row["source"])}</td>'
                f"<td>{escape(row['identifier'])}</td><td>{escape(row['sentence'])}{seen}</td></tr>"
            )
        yield "</tbody>\n</table>"
        if reason["count"] > SHOWN:
            yield f"<p>and {reason['count'] - SHOWN:,} more: see the report as JSON.</p>"
        yield "</details>"
    if none:
        yield "<p>Nothing: every row was published or is unchanged.</p>"


def _cost(cost: Mapping[str, Any]) -> Iterator[str]:
    yield "<h2>What it costs on AWS</h2>"
    yield (
        f"<p>An estimate from list prices of {escape(cost['prices_as_of'])} in "
        f"{escape(cost['region'])}, in USD, without tax and free tiers.</p>"
    )
    yield '<table>\n<thead><tr><th>For</th><th class="n">Once</th><th class="n">Per month</th></tr>'
    yield "</thead>\n<tbody>"
    for name, price in cost["once"].items():
        yield f'<tr><td>{escape(name)}</td><td class="n">${price:,.4f}</td><td></td></tr>'
    total = sum(cost["once"].values())
    yield f'<tr><td><b>Together</b></td><td class="n"><b>${total:,.4f}</b></td><td></td></tr>'
    for name, price in cost["month"].items():
        yield f'<tr><td>{escape(name)}</td><td></td><td class="n">${price:,.4f}</td></tr>'
    yield "</tbody>\n</table>"
