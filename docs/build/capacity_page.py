"""The page docs/explanations/capacity.md: how the simulator compares with others' figures."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from capacity.validation.microscope.microscope_report import microscope_parts
from capacity.validation.museum.museum_report import museum_parts
from capacity.validation.own.own_report import own_parts
from capacity.validation.theory.theory_report import theory_parts
from docs.build.saved_runs import SavedRun, read_index
from loadtest.report.charts import standalone
from loadtest.report.document import Chart, Heading, Part, Table, Text, markdown

RUNS = (
    "capacity-theory",
    "capacity-museum",
    "capacity-microscope-fitted",
    "capacity-microscope-printed",
    "capacity-own",
    "simulator",
)
"""Entries of the index that the page needs."""
CHARTS = ("museum-throughput", "museum-response", "microscope-fitted-response", "own-p95-ms")
"""Charts that the page shows; the others are on the pages of `vitrine-capacity validate`."""
_HEAD = """\
# Can the simulator be trusted?

`capacity` answers with a simulation how many tasks an image service needs. Before it may
say anything about ours, it must reproduce what others measured or published: queues with an exact
solution, the load tests of a museum's report (Getty Common Image Service, 2019, appendix 2), and a
simulation study of 1998 (*Virtual Microscope*, CS-TR-3970); and it must predict load tests of our
own image task. [ADR 0013](../adr/0013-capacity-simulator.md) says why it is built the way it is.
`make docs` generates this page from saved runs of `vitrine-capacity validate theory`, `museum`,
`microscope` and `own`, which `results/index.toml` names.
"""


def capacity_page() -> str:
    """Return the page as Markdown."""
    shown = [part for part in _parts() if not isinstance(part, Chart) or part.name in CHARTS]
    return _HEAD + "\n" + markdown(shown, "capacity")


def capacity_chart(name: str) -> str:
    """Return one of `CHARTS` as an SVG file."""
    [chart] = [part for part in _parts() if isinstance(part, Chart) and part.name == name]
    return standalone(chart.svg)


@cache
def _parts() -> list[Part]:
    return page_parts(read_index())


def page_parts(index: Mapping[str, SavedRun]) -> list[Part]:
    """Return all sections with all their charts."""
    runs = {name: run.read() for name, run in index.items() if name in RUNS}
    sources = {
        name: Text(f"Raw result: `results/{run.path.name}/`.") for name, run in index.items()
    }
    return [
        Heading("Queues with an exact solution"),
        *theory_parts(runs["capacity-theory"]),
        sources["capacity-theory"],
        Heading("A museum's load tests"),
        *museum_parts(runs["capacity-museum"]),
        sources["capacity-museum"],
        Heading("The Virtual Microscope, fitted"),
        *microscope_parts(runs["capacity-microscope-fitted"]),
        sources["capacity-microscope-fitted"],
        Heading("The Virtual Microscope, as printed"),
        Text(
            "The same model, each open question answered with what the paper says most literally. "
            "Nothing is fitted, and no figure of table 7 is reproduced."
        ),
        *microscope_parts(runs["capacity-microscope-printed"], findings=False),
        sources["capacity-microscope-printed"],
        Heading("Our own load tests"),
        *own_parts(runs["capacity-own"]),
        sources["capacity-own"],
        Heading("How fast it is"),
        *_speed(runs["simulator"]),
        sources["simulator"],
    ]


def _speed(run: Mapping[str, Any]) -> list[Part]:
    figures, machine = run["figures"], run["machine"]
    rows = [
        (
            f"a day of {figures['requests']:,} requests on {figures['tasks']} tasks, one core",
            f"{figures['cpu_seconds']:.1f} s of CPU, {figures['peak_mebibytes']:.0f} MiB",
            "30 s, 250 MiB",
        ),
        (
            f"the Virtual Microscope's factorial, {figures['factorial_replications']} times",
            f"{figures['factorial_seconds']:.0f} s on {machine['cores']} cores",
            "600 s",
        ),
    ]
    days = ", ".join(f"{day['cpu_seconds']:.1f}" for day in figures["days"])
    return [
        Table(
            f"`vitrine-capacity benchmark`, Python {machine['python']}",
            ("what", "takes", "at most"),
            rows,
        ),
        Text(f"The day's CPU seconds in every round: {days}. {machine['processor']}."),
    ]
