"""Reads saved runs and puts them side by side."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loadtest.errors import InvalidScenario
from loadtest.figures.generator_limit import is_generator_limited
from loadtest.studies.compare.comparable_lines import Lines, lines_of
from loadtest.studies.museum.museum_classes import ANY

FILE = "run.json"
_CONDITIONS = ("processor", "cores", "memory_gibibytes", "python", "libvips", "vitrine", "commit")


def compare_runs(paths: Sequence[Path]) -> dict[str, Any]:
    """Figures of all runs by line, JSON-ready: `values` in the order of the runs, None where a run
    has none, and `ratios`, each value divided by the first.

    Raises InvalidScenario for what cannot be read or compared.
    """
    if len(paths) < 2:
        raise InvalidScenario("give two saved runs at least: folders of results, or run.json files")
    runs = [_read_run(path) for path in paths]
    kinds = list(dict.fromkeys(run["bench"] for run in runs))
    if len(kinds) > 1:
        kinds_by_path = "; ".join(
            f"{path} is of {run['bench']}" for path, run in zip(paths, runs, strict=True)
        )
        raise InvalidScenario(f"runs of different kinds cannot be compared: {kinds_by_path}")
    lines = [lines_of(kinds[0], run["figures"]) for run in runs]
    common = [label for label in lines[0] if any(label in other for other in lines[1:])]
    if not common:
        raise InvalidScenario(f"these runs of {kinds[0]} have no line in common")
    return {
        "kind": kinds[0],
        "runs": [
            {"name": name, "measured_at": run["machine"].get("measured_at", "")}
            for name, run in zip(_name_runs(paths), runs, strict=True)
        ],
        "rows": [row for label in common for row in _label_rows(label, lines)],
        "left_out": sorted({label for found in lines for label in found} - set(common)),
        "remarks": [
            {"run": name, "bad": bad, "words": words}
            for name, run in zip(_name_runs(paths), runs, strict=True)
            for words, bad in _run_remarks(run)
        ],
        "differences": _list_differences(runs),
    }


def _read_run(path: Path) -> dict[str, Any]:
    file = path / FILE if path.is_dir() else path
    try:
        run = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidScenario(f"{file} cannot be read: {error.strerror}") from None
    except ValueError:
        raise InvalidScenario(f"{file} is no JSON") from None
    if not isinstance(run, dict) or not {"bench", "figures", "machine"} <= set(run):
        raise InvalidScenario(
            f"{file} is no saved run of `vitrine-loadtest study` or `vitrine-loadtest run`"
        )
    return run


def _name_runs(paths: Sequence[Path]) -> list[str]:
    """Folders' names, or whole paths where two have one name."""
    short = [(path if path.is_dir() else path.parent).resolve().name for path in paths]
    return short if len(set(short)) == len(short) else [str(path) for path in paths]


def _label_rows(label: str, lines: Sequence[Lines]) -> list[dict[str, Any]]:
    rows = []
    for figure in lines[0][label]:
        values = [found.get(label, {}).get(figure) for found in lines]
        if any(value is not None for value in values):
            rows.append(
                {
                    "line": label,
                    "figure": figure,
                    "values": values,
                    "ratios": _ratios_to_first(values),
                }
            )
    return rows


def _ratios_to_first(values: Sequence[float | None]) -> list[float | None]:
    first = values[0]
    return [round(value / first, 4) if first and value is not None else None for value in values]


def _run_remarks(run: dict[str, Any]) -> list[tuple[str, bool]]:
    """Return what makes a run's figures worthless; the same keys say so in all studies."""
    figures = run["figures"]
    places = ("medians", "rounds", "served")
    entries = [figures, *(entry for name in places for entry in _list_entries(figures, name))]
    found = []
    if figures.get("complete") is False:
        found.append(("was interrupted: its results are partial.", True))
    if any(map(_was_saturated, entries)):
        found.append(
            ("is client-bound: its generator took over 80 % of a core and measured itself.", True)
        )
    if failures := _count_failures(figures):
        found.append((f"has {failures} failures.", False))
    wrong = sum(entry.get("wrong") or 0 for entry in _list_entries(figures, "checks"))
    if wrong:
        found.append((f"has {wrong} answers with wrong pixels.", True))
    return found


def _count_failures(figures: dict[str, Any]) -> int:
    """Return the failures that the run itself states, else those of its rows."""
    for name in ("failures", "errors"):
        if isinstance(stated := figures.get(name), int):
            return stated
    rows = next(
        filter(None, (_list_entries(figures, n) for n in ("rows", "medians", "served"))), []
    )
    return sum(_failed_requests(entry) for entry in rows)


def _failed_requests(entry: dict[str, Any]) -> int:
    """Return an entry's failures; the museum's rows are by class, with one over all."""
    rows = entry.get("rows")
    row = rows.get(ANY, {}) if isinstance(rows, dict) else entry
    return int(row.get("failures") or 0)


def _was_saturated(entry: dict[str, Any]) -> bool:
    """Return True if the generator was the limit; formats' rows name the share of a core alone."""
    if "percentiles_ms" in entry and is_generator_limited(entry.get("generator_cores", 0)):
        return True
    return bool(entry.get("client_bound") or entry.get("generator_saturated"))


def _list_entries(figures: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Empty where a bench means something else by this name."""
    found = figures.get(name)
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _list_differences(runs: Sequence[dict[str, Any]]) -> list[str]:
    """Conditions in which the runs differ, apart from what is compared."""
    sides = []
    for run in runs:
        figures = run["figures"]
        conditions = {name: run["machine"].get(name) for name in _CONDITIONS}
        for name in ("scenario", "parameters", "versions"):
            conditions |= (
                figures[name] if isinstance(figures.get(name), dict) else {name: figures.get(name)}
            )
        conditions |= {"requests asked for (SHA-256)": figures.get("requests_sha256")}
        sides.append(conditions)
    names = list(dict.fromkeys(name for side in sides for name in side))
    found = []
    for name in names:
        values = [_shorten_value(side.get(name)) for side in sides]
        if len(set(values)) > 1:
            found.append(f"{name.replace('_', ' ')}: {' | '.join(values)}")
    return found


def _shorten_value(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
