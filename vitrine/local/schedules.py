"""Collections that this machine updates by itself: how often, and how the last time ended."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vitrine.sources.updates.schedule import Schedule, UpdateRun

SCHEDULES, RUNS = "schedules.json", "scheduled-runs.json"


def read_schedules(directory: Path) -> dict[str, Schedule]:
    """Return the schedules by their file of rules. Raises OSError."""
    return {one["rules"]: Schedule(**one) for one in _read_file(directory / SCHEDULES, [])}


def write_schedules(directory: Path, schedules: dict[str, Schedule]) -> None:
    """Replace the schedules. Raises OSError."""
    _write_file(directory / SCHEDULES, [asdict(one) for one in schedules.values()])


def read_runs(directory: Path) -> dict[str, UpdateRun]:
    """Return the newest runs by their file of rules. Raises OSError."""
    return {rules: UpdateRun(**one) for rules, one in _read_file(directory / RUNS, {}).items()}


def note_run(directory: Path, rules: str, run: UpdateRun) -> None:
    """Write down a run; only the timer does. Raises OSError."""
    runs = {**read_runs(directory), rules: run}
    kept = read_schedules(directory).keys() | {rules}
    _write_file(directory / RUNS, {name: asdict(one) for name, one in runs.items() if name in kept})


def _read_file(path: Path, empty: Any) -> Any:
    """Return what a file of ours has, `empty` without one. Raises OSError."""
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else empty
    except ValueError:
        raise OSError(f"{path} is damaged: remove it, and schedule the collections again") from None


def _write_file(path: Path, document: Any) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.part")
    beside.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    beside.replace(path)
