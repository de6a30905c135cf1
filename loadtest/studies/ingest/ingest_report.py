"""The tables of a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadtest.studies.ingest.ingest_figures import DEFINITIONS, goals, median_of

Row = Mapping[str, Any]


def table(figures: Mapping[str, Any]) -> str:
    """Markdown: promises, rounds, where the time of one master goes, where the CPU goes."""
    parts = (_goals(figures), _rounds(figures["collections"]), _states(figures["singles"]))
    return "\n".join((*parts, _processors(figures), _masters(figures["masters"]), _definitions()))


def _goals(figures: Mapping[str, Any]) -> str:
    lines = ["| figure (median of the rounds) | measured | asked | met |", "|---|---:|---:|---|"]
    for goal in goals(figures):
        requested = "" if goal.limit is None else f"{goal.comparison} {goal.limit:g}"
        met = {True: "yes", False: "NO", None: ""}[goal.met]
        lines.append(f"| {goal.what} | {goal.value:,.4g} | {requested} | {met} |")
    return "\n".join([*lines, "", _load(figures["load_average"]), ""])


def _load(average: Mapping[str, Sequence[float]]) -> str:
    """Return the load of the machine: only a quiet one gives these figures."""
    before, after = average["before"][0], average["after"][0]
    return f"Load of the machine before the first round {before:.1f}, after the last {after:.1f}."


def _rounds(rows: Sequence[Row]) -> str:
    lines = [
        "| round | images | MP | seconds | images/h | GB/h | MP/s | cores used | with others |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for number, row in enumerate(rows, 1):
        use = row["while_converting"]
        lines.append(
            f"| {number} | {row['images']} | {row['megapixels']:,} | {row['seconds']} "
            f"| {row['images_per_hour']:,} | {row['gigabytes_per_hour']} "
            f"| {row['megapixels_per_second']} | {use['share_of_both_cores']:.0%} "
            f"| {use['share_with_others']:.0%} |"
        )
    return "\n".join([*lines, ""])


def _states(singles: Sequence[Row]) -> str:
    """Medians of each step of one master alone; the steps add up to the end-to-end time."""
    by_master = _by_master(singles)
    names = list(by_master)
    lines = [
        "| one master alone, seconds (medians) | " + " | ".join(names) + " |",
        "|---|" + "---:|" * len(names),
    ]
    steps = [
        ("upload", lambda row: row["upload_seconds"]),
        ("event, queue, starter", lambda row: row["until_first_state_seconds"]),
        *(
            (state, lambda row, state=state: row["state_seconds"].get(state, 0.0))
            for state in ("ReadHeader", "ConvertMaster", "VerifyAccessMaster", "PublishImage")
        ),
        ("until it is seen", lambda row: row["seen_after_seconds"]),
        ("end to end", lambda row: row["wall_seconds"]),
        ("bare conversion", lambda row: row["bare"]["wall_seconds"]),
    ]
    for label, value in steps:
        cells = [f"{median_of(rows, value):.3f}" for rows in by_master.values()]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def _processors(figures: Mapping[str, Any]) -> str:
    """CPU seconds by who spent them."""
    by_master = _by_master(figures["singles"])
    names = list(by_master)
    lines = [
        "| CPU seconds (medians) | " + " | ".join(names) + " | whole collection |",
        "|---|" + "---:|" * (len(names) + 1),
    ]
    for part in ("lambdas", "emulator", "image_task", "uploader"):
        rows = [*by_master.values(), figures["collections"]]
        cells = [f"{median_of(group, lambda row: row['cpu_seconds'][part]):.2f}" for group in rows]  # noqa: B023
        lines.append(f"| {part.replace('_', ' ')} | " + " | ".join(cells) + " |")
    bare = [
        f"{median_of(rows, lambda row: row['bare']['cpu_seconds']):.2f}"
        for rows in by_master.values()
    ]
    lines.append("| bare conversion | " + " | ".join(bare) + " | |")
    return "\n".join([*lines, ""])


def _masters(masters: Sequence[Row]) -> str:
    lines = ["| master | MP | MB | compression | from |", "|---|---:|---:|---|---|"]
    lines += [
        f"| {row['name']} | {row['megapixels']} | {row['bytes'] / 1e6:.1f} "
        f"| {row['compression']} | {row['from']} |"
        for row in masters
    ]
    return "\n".join([*lines, ""])


def _definitions() -> str:
    return "\n".join([*(f"- *{name}*: {text}." for name, text in DEFINITIONS.items()), ""])


def _by_master(singles: Sequence[Row]) -> dict[str, list[Row]]:
    names = dict.fromkeys(row["master"] for row in singles)
    return {name: [row for row in singles if row["master"] == name] for name in names}
