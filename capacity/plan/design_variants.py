"""Designs by name, or from a TOML file: what `vitrine-capacity compare` compares."""

import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from capacity.model.design import Design
from loadtest.errors import InvalidScenario

PROD = Design(
    vcpus=1,
    memory_gibibytes=4,
    cache_gibibytes=94.75,
    minimum=2,
    maximum=12,
)
"""Design that stacks/designs.py deploys as `prod`; a test compares them."""
MUSEUM = Design(
    vcpus=0.5,
    memory_gibibytes=2,
    cache_gibibytes=14.75,
    minimum=1,
    maximum=2,
)
"""Design that the flavour `museum` deploys; a test compares them."""
_HOUR = 3_600.0
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "prod": {},
    "decode-every-tile": {"pass_through": False},
    "whole-file": {"whole_file": True},
    "2-big-tasks": {
        "vcpus": 4,
        "memory_gibibytes": 16,
        "minimum": 2,
        "maximum": 2,
        "large_renders": 2,
    },
    "8-small-tasks": {"vcpus": 1, "memory_gibibytes": 4, "minimum": 8, "maximum": 8},
    "origin-shield": {"origin_shield": True},
    "half-spot": {"spot_share_percent": 50},
    "all-spot": {"spot_share_percent": 100},
    "edge-ttl-1-hour": {"edge_ttl_seconds": _HOUR},
    "edge-ttl-1-day": {"edge_ttl_seconds": 24 * _HOUR},
    "no-edge-cache": {"edge_gibibytes": 0},
    "cache-15-gibibytes": {"cache_gibibytes": 14.75},
    "two-large-renders": {"large_renders": 2},
}
"""Changes of each variant to `PROD`. The two of tasks have the same CPUs, memory and price but for
disk: a task's cache is its own."""


def design_named(name: str) -> Design:
    """Return a named variant, or `PROD` changed by a TOML file. Raise InvalidScenario."""
    if name in VARIANTS:
        return replace(PROD, **VARIANTS[name])
    path = Path(name)
    if path.suffix != ".toml":
        known = ", ".join(VARIANTS)
        raise InvalidScenario(f"there is no design {name!r}: name a TOML file, or one of {known}")
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidScenario(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidScenario(f"{path}: is no TOML: {error}") from None
    return _change_prod(path, document)


def _change_prod(path: Path, document: Mapping[str, Any]) -> Design:
    kinds = {item.name: item.type for item in fields(Design)}
    for key, value in document.items():
        if key not in kinds:
            raise InvalidScenario(f"{path}: a design has no {key!r}; it has {', '.join(kinds)}")
        if (kinds[key] is bool) != isinstance(value, bool):
            raise InvalidScenario(f"{path}: {key} must be {_type_words(kinds[key])}, not {value!r}")
    try:
        return replace(PROD, **document)
    except InvalidScenario as error:
        raise InvalidScenario(f"{path}: {error}") from None


def _type_words(kind: Any) -> str:
    return "true or false" if kind is bool else "a number"
