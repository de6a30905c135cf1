"""The figures in a terminal."""

from collections.abc import Iterator, Mapping

from vitrine.statistics.count import Figures
from vitrine.statistics.summary import COUNTED, Summary, ranked, values

SHOWN = 10
"""Rows of each kind; the CSV and --json have all."""
NAME_WIDTH = 44
WIDTH = 11


def statistics_lines(summary: Summary, titles: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a summary."""
    first, *_, last = [*summary.days, *summary.days]
    yield _row(f"{first} to {last}, UTC", COUNTED)
    yield _row("together", _cells(summary.together))
    uncounted = [day for day, found in summary.days.items() if found is None]
    if len(uncounted) == len(summary.days):
        yield "The log has no request in these days, or they are still to be counted."
        return
    counted = [(day, found.together) for day, found in summary.days.items() if found]
    yield from _part("By day", counted[-SHOWN:], len(counted))
    names = {name: _named(name, titles) for name in [*summary.objects, *summary.collections]}
    parts = (("objects", summary.objects), ("collections", summary.collections))
    for name, found in (*parts, ("countries", summary.countries)):
        rows = [(names.get(key, key), one) for key, one in ranked(found)]
        if name == "countries":
            rows = [*ranked(found)]
        yield from _part(f"By {_SINGULAR[name]}", rows[:SHOWN], len(rows))
    yield ""
    yield from _remarks(summary, len(uncounted))


_SINGULAR = {"objects": "object", "collections": "collection", "countries": "country"}


def _part(title: str, rows: list[tuple[str, Figures]], count: int) -> Iterator[str]:
    if rows:
        yield ""
        yield f"{title}, {len(rows)} of {count:,}" if len(rows) < count else title
        yield from (_row(name, _cells(found)) for name, found in rows)


def _remarks(summary: Summary, uncounted: int) -> Iterator[str]:
    yield f"Left out: {summary.robot_requests:,} requests of robots."
    if uncounted:
        yield f"Days without a request in the log, or not counted yet: {uncounted:,}."
    if summary.others != Figures():
        yield "Counted together only, of what was beyond the largest number of objects of a day: "
        yield ", ".join(f"{count:,} {name}" for name, count in values(summary.others).items()) + "."
    if summary.damaged:
        yield f"Damaged: {summary.damaged:,} lines of the log, which were skipped."
    if summary.cuts:
        yield f"Too many came at once, {summary.cuts:,} times: some are counted twice."
    yield "What is counted, and what is an estimate: docs/howto/count-visits.md"


def _named(identifier: str, titles: Mapping[str, str]) -> str:
    title = titles.get(identifier, "")
    return f"{identifier}  {title}" if title else identifier


def _cells(figures: Figures) -> list[str]:
    return [f"{count:,}" for count in values(figures).values()]


def _row(name: str, cells: "Mapping[str, str] | list[str]") -> str:
    cut = name if len(name) <= NAME_WIDTH else name[: NAME_WIDTH - 1] + "…"
    return f"{cut:<{NAME_WIDTH}}" + "".join(f"{cell:>{WIDTH}}" for cell in cells)
