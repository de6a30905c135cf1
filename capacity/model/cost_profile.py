"""What a request costs, and how everything around the service behaves: a table of numbers, each
with where it comes from."""

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from loadtest.errors import InvalidScenario

INFO, TILE, SMALL, LARGE = "info", "tile", "small", "large"
CLASSES = (INFO, TILE, SMALL, LARGE)
"""Image information; tiles; derivatives of little work; derivatives of more, which take turns."""
DEFAULT = Path(__file__).with_name("default_profile.toml")
_MAY_BE_ZERO = frozenset(
    {
        "variation",
        "render_variation",
        "store_variation",
        "metric_delay_seconds",
        "of_answer",
        "wake_ms",
        "cold_tile_ms",
        "cold_small_ms",
    }
)


@dataclass(frozen=True, kw_only=True)
class CostProfile:
    """Numbers of `default_profile.toml`, which says what each is and where it comes from.

    Work, in megapixels, is what `vitrine.deliver.render.task` counts: pixels decoded, and
    1.5 for each pixel encoded. Raises InvalidScenario for a number that cannot be.
    """

    info_ms: float
    tile_ms: float
    kept_tile_ms: float
    small_ms: float
    small_ms_per_megapixel: float
    large_ms: float
    large_ms_per_megapixel: float
    wake_ms: float
    cold_tile_ms: float
    cold_small_ms: float
    variation: float
    render_variation: float
    stored_per_pixel: float
    made_per_pixel: float
    of_answer: float
    of_info: float
    store_first_byte_ms: float
    store_variation: float
    store_stream_megabytes: float
    task_megabytes: float
    identifier_ms: float
    identifier_ttl_seconds: float
    viewer_round_trip_ms: float
    viewer_megabits: float
    opening_round_trips: float
    edge_locations: float
    origin_round_trip_ms: float
    origin_megabits: float
    shield_ms: float
    metric_seconds: float
    metric_delay_seconds: float
    scale_out_periods: float
    scale_in_periods: float
    scale_in_share: float
    scale_out_seconds: float
    scale_in_seconds: float
    task_start_seconds: float
    drain_seconds: float
    spot_lifetime_hours: float
    function_request_ms: float
    function_start_ms: float
    function_loading_ms: float
    function_starts: float
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Origin of each number, by its name."""

    def __post_init__(self) -> None:
        for name in _number_names():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InvalidScenario(f"{name} must be a number, not {value!r}")
            if not math.isfinite(value) or value < 0 or (value == 0 and name not in _MAY_BE_ZERO):
                raise InvalidScenario(f"{name} = {value}: it must be above 0, and finite")

    @classmethod
    def default(cls) -> "CostProfile":
        """Return the shipped table."""
        values, origins = _read_default()
        return cls(**values, origins=origins)

    @classmethod
    def load(cls, path: Path) -> "CostProfile":
        """Read a table like the shipped one, or run.json of `vitrine-loadtest study answers`.

        What it leaves out is taken from the shipped one. Raises InvalidScenario."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InvalidScenario(
                f"{path}: there is no profile to read: {reason}; {DEFAULT.name} next to "
                "capacity.model.cost_profile shows what one looks like"
            ) from None
        try:
            read = _of_run if path.suffix == ".json" else _of_table
            values, origins = read(text, path)
            known_values, known_origins = _read_default()
            return cls(**known_values | values, origins=known_origins | origins)
        except InvalidScenario as error:
            raise InvalidScenario(f"{path}: {error}") from None


@cache
def _number_names() -> tuple[str, ...]:
    return tuple(item.name for item in fields(CostProfile) if item.name != "origins")


@cache
def _read_default() -> tuple[dict[str, float], dict[str, str]]:
    return _of_table(DEFAULT.read_text(encoding="utf-8"), DEFAULT)


def _of_table(text: str, path: Path) -> tuple[dict[str, float], dict[str, str]]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidScenario(f"is no TOML: {error}") from None
    entries: dict[str, Any] = {}
    for name, table in document.items():
        entries |= table if isinstance(table, dict) and "value" not in table else {name: table}
    values, origins = {}, {}
    for name, entry in entries.items():
        entry = entry if isinstance(entry, dict) else {"value": entry}
        values[name] = entry.get("value")
        origins[name] = str(entry.get("origin", path.name))
    return _require_known(values), origins


def _of_run(text: str, path: Path) -> tuple[dict[str, float], dict[str, str]]:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise InvalidScenario(f"is no JSON: {error}") from None
    # Imported here: it brings all that measures, and a simulation needs none of that.
    from capacity.model.renderer_costs import BENCH, renderer_costs

    if not isinstance(document, dict) or document.get("bench") != BENCH:
        raise InvalidScenario("has no profile: it is no run of `vitrine-loadtest study answers`")
    values = renderer_costs(document["figures"])
    return values, dict.fromkeys(values, f"measured: {path.parent.name or path.name}")


def _require_known(values: dict[str, Any]) -> dict[str, Any]:
    for name in values:
        if name not in _number_names():
            raise InvalidScenario(
                f"there is no number {name!r}; there are {', '.join(_number_names())}"
            )
    return values
