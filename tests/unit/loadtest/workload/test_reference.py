"""The reference page has every key that a scenario may hold, with its default, and no other."""

import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from loadtest.workload.models import MODELS
from loadtest.workload.scenario import Scenario

ROOT = Path(__file__).resolve().parents[4]
PAGE = (ROOT / "docs/reference/scenarios.md").read_text()
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
ROW = re.compile(r"^\| (`[^|]+`) \| (`[^|]+`) \|", re.MULTILINE)
TABLES: dict[str, Any] = {"The top level": Scenario} | {f"`{n}`": m for n, m in MODELS.items()}


def written(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(written(item) for item in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:g}" if isinstance(value, float) else str(value)


@pytest.mark.parametrize("section", TABLES)
def test_every_key_is_listed_with_its_default(section: str) -> None:
    documented = {}
    for names, defaults in ROW.findall(SECTIONS[section]):
        # A comma between two keys stands outside of their marks.
        keys, values = names.strip("`").split("`, `"), defaults.strip("`").split("`, `")
        documented |= dict(zip(keys, values, strict=True))
    assert documented == {
        item.name: written(item.default)
        for item in fields(TABLES[section])
        if item.default is not MISSING
    }


def test_every_scenario_of_ours_is_listed() -> None:
    listed = set(re.findall(r"`(scenarios/[\w-]+\.toml)`", PAGE))
    assert listed == {f"scenarios/{path.name}" for path in (ROOT / "scenarios").glob("*.toml")}
