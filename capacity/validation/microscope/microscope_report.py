"""The Virtual Microscope study in tables and charts, next to what the paper prints."""

from collections.abc import Mapping, Sequence
from typing import Any

from capacity.validation.microscope import published_tables as published
from capacity.validation.microscope.factorial import round_printed, two_level
from capacity.validation.microscope.microscope_goals import goals
from capacity.validation.microscope.microscope_study import FIGURES, PROBES, SYSTEMS
from capacity.validation.microscope.profile_choices import CHOICES, FITTED_CHOICES
from loadtest.report import charts
from loadtest.report.document import Chart, Heading, Part, Table, Text

_CAPTIONS = {
    "response": "Figure 14: response time of all requests, s",
    "small": "Figure 15: response time of small requests (300 KB), s",
    "large": "Figure 16: response time of large requests (3 MB), s",
    "server": "Figure 17: server utilisation",
    "proxy": "Figure 18: proxy utilisation",
}
_DIGITS = {"response": 2, "server": 4, "proxy": 4}
_PRINTED_DIGITS = {"response": (2, 2, 2, 2), "server": (3, 3, 3, 5), "proxy": (2, 3, 3, 3)}
_SHARE_DIGITS = {"response": (2, 2, 2), "server": (2, 2, 4), "proxy": (2, 2, 2)}
_SPREAD = (
    "The paper's own intervals are all 31.6 % of the mean, which is one over the root of ten: no "
    "measured spread. Ours are Student's t over replications."
)


def microscope_parts(study: Mapping[str, Any], findings: bool = True) -> Sequence[Part]:
    """Return the report of a study; without `findings`, only its results."""
    name = study["profile"]["name"]
    speed = study["speed"]
    parts: list[Part] = [
        Text(
            f"Profile {name}: {study['replications']} replications of every cell, intervals of "
            f"{100 * study['confidence']:.0f} %. {speed['requests_per_cpu_second']:,} requests "
            f"simulated per second and core."
        ),
        _table_7(study),
        Text(_SPREAD),
    ]
    if name == "fitted":
        parts += [_goals_table(study), _why_no_proxy(), _small_requests(study)]
    parts += [_figure_chart(study, figure) for figure in FIGURES]
    if not findings:
        return parts
    parts += [*_formula_parts(study), *_factor_parts(study), *_open_choices()]
    if study["sensitivity"]:
        parts.append(_sensitivity_table(study))
    return parts


def _table_7(study: Mapping[str, Any]) -> Table:
    return Table(
        f"Table 7 simulated, profile {study['profile']['name']}",
        ("hits", "clients", "measure", "simulated", "printed", "error"),
        [
            (
                f"{100 * row['hit_rate']:.0f} %",
                str(row["clients"]),
                label,
                f"{row[metric]['mean']:.{_DIGITS[metric]}f}"
                f" ± {row[metric]['half_width']:.{_DIGITS[metric]}f}",
                f"{row[metric]['printed']:g}",
                f"{row[metric]['error_percent']:+.1f} %",
            )
            for metric, label in published.METRICS.items()
            for row in study["table_7"]
        ],
        words=3,
    )


def _goals_table(study: Mapping[str, Any]) -> Table:
    rows = [(goal.promise, goal.found, "yes" if goal.kept else "NO") for goal in goals(study)]
    return Table("What the fitted profile must show", ("promise", "found", "kept"), rows, words=3)


def _why_no_proxy() -> Text:
    return Text(
        "Why 0 % hits and no proxy are close: either way all bytes cross the WAN, which is busy "
        "all the time from some four clients on. With fewer, the proxy is ahead, since the server "
        "works on the next block while the last one travels; without it, a whole reply is "
        "retrieved before any of it is sent."
    )


def _small_requests(study: Mapping[str, Any]) -> Text:
    return Text(
        f"Not reproduced: at 50 % hits and 30 clients the paper has small requests at about half "
        f"the time of large ones, we at {study['small_to_large']:.2f}. Queueing dominates both, "
        f"and the queue is the same. If a request's blocks went one at a time (see the "
        f"alternatives), small ones would overtake, and be below a third."
    )


def _figure_chart(study: Mapping[str, Any], figure: str) -> Chart:
    profile = study["profile"]["name"]
    series = []
    for number, system in enumerate(SYSTEMS):
        if figure == "proxy" and system is None:
            continue
        cells = [c for c in study["cells"] if c["hit_rate"] == system and figure in c]
        series.append(
            charts.Series(
                "no proxy" if system is None else f"{100 * system:.0f} % hits",
                number,
                [cell["clients"] for cell in cells],
                [cell[figure]["mean"] for cell in cells],
                [cell[figure]["half_width"] for cell in cells],
                dashed=system is None,
            )
        )
    label = _CAPTIONS[figure].partition(": ")[2]
    name = f"microscope-{profile}-{figure}"
    return Chart(
        name,
        f"{_CAPTIONS[figure]} (profile {profile})",
        charts.line_chart(name, series, "clients", label),
    )


def _formula_parts(study: Mapping[str, Any]) -> Sequence[Part]:
    return (
        Heading("The printed server formula cannot be what was simulated"),
        Text(
            "By the utilisation law, table 7 itself says how many seconds of the server a request "
            "asks: utilisation times (response + think time) over clients. The printed formula, "
            "averaged over the printed workload, gives an eleventh or twelfth of that in every row."
        ),
        Table(
            f"Seconds per request that table 7 implies, with a think time of "
            f"{study['profile']['think']:g} s",
            ("hits", "clients", "server", "proxy", "server, times the printed formula"),
            [
                (
                    f"{100 * row['hit_rate']:.0f} %",
                    str(row["clients"]),
                    f"{row['server']:.2f}",
                    f"{row['proxy']:.2f}",
                    f"{row['factor']:.1f}",
                )
                for row in study["implied"]
            ],
        ),
    )


def _factor_parts(study: Mapping[str, Any]) -> Sequence[Part]:
    rows = []
    for metric, label in published.METRICS.items():
        exact = two_level(("hit rate", "clients"), published.TABLE_7[metric])
        ours = study["table_8"][metric]
        columns = zip(exact.effects.items(), _PRINTED_DIGITS[metric], strict=True)
        for place, ((key, effect), digits) in enumerate(columns):
            print_of = published.TABLE_8_EFFECTS[metric][key]
            share = "" if key == "mean" else _SHARE_DIGITS[metric][place - 1]
            rows.append(
                (
                    label,
                    key,
                    print_of,
                    round_printed(effect, digits),
                    f"{ours['effects'][key]:.4g}",
                    *_share_cells(metric, key, exact, ours, share),
                )
            )
    return (
        Heading("Which factor explains how much"),
        Text(
            "A is the hit rate (75 % to 0 %), B the number of clients (1 to 30). The analysis in "
            "exact arithmetic turns the printed table 7 into the printed table 8, but for one "
            "digit: B's effect on the proxy is .057, not .058."
        ),
        Table(
            "Table 8: printed, from the printed table 7, and from our table 7",
            (
                "measure",
                "effect",
                "printed",
                "recomputed",
                "ours",
                "% printed",
                "recomputed",
                "ours",
            ),
            rows,
            words=2,
        ),
    )


def _share_cells(
    metric: str, key: str, exact: Any, ours: Mapping[str, Any], digits: Any
) -> tuple[str, str, str]:
    if key == "mean":
        return ("", "", "")
    return (
        published.TABLE_8_VARIATION[metric][key],
        round_printed(exact.variation[key], digits),
        f"{ours['variation_percent'][key]:.2f}",
    )


def _open_choices() -> Sequence[Part]:
    cells = len(published.TABLE_7) * len(published.CORNERS)
    return (
        Heading("What the paper leaves open"),
        Text(
            f"{FITTED_CHOICES} of these {len(CHOICES)} answers were chosen because of the paper's "
            f"results, for {cells} cells of table 7 and figures 14 and 18. So the fitted profile "
            f"shows that the printed results can come from such a system; it is no independent "
            f"confirmation."
        ),
        Table(
            "Open questions and their answers",
            ("question", "as printed", "fitted", "fitted to"),
            [(c.question, c.printed, c.fitted, c.fitted_to or "nothing") for c in CHOICES],
            words=4,
        ),
    )


_SHOWN = tuple(
    (metric, probe)
    for metric, probes in (("response", range(len(PROBES))), ("server", (0, 3)), ("proxy", (3, 4)))
    for probe in probes
)
"""Columns of the sensitivity table; the raw results have every metric at every probe."""


def _sensitivity_table(study: Mapping[str, Any]) -> Table:
    names = [
        f"{'no proxy' if rate is None else f'{100 * rate:.0f} %'}, {clients}"
        for rate, clients in PROBES
    ]
    rows = []
    for row in study["sensitivity"]:
        cells = [row[metric][probe] for metric, probe in _SHOWN]
        changes = ["" if cell is None else f"{cell:+.0f}" for cell in cells]
        rows.append((row["question"], row["answer"], *changes))
    return Table(
        "What another answer would change, in percent of the fitted profile's result, by number of "
        "hits and clients",
        ("question", "instead", *(f"{metric} {names[probe]}" for metric, probe in _SHOWN)),
        rows,
        words=2,
    )
