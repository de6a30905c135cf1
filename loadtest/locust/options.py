"""Our own options of Locust; a master passes them on to its workers."""

from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

from locust import events

from loadtest.workload.catalogue import Catalogue
from loadtest.workload.scenario import Scenario, read_scenario
from loadtest.workload.sources import images_from_csv, images_from_json


def add_options_listener() -> None:
    """Add the options to Locust's command line and web page."""
    events.init_command_line_parser.add_listener(_add_options)


def _add_options(parser: Any) -> None:
    group = parser.add_argument_group("Vitrine")
    group.add_argument("--scenario", required=True, help="TOML file of the workload")
    group.add_argument("--images", default="", help="CSV or JSON file of the catalogue")
    group.add_argument("--stages", default="", help="users at once, as in 10,100,1000")
    group.add_argument("--stage-seconds", type=float, default=0.0, help="length of each stage")
    group.add_argument("--seed", type=int, default=None, help="in place of the scenario's")
    group.add_argument(
        "--report-json", action="store_true", help="print progress and result as JSON lines"
    )


def scenario_of(options: Namespace) -> Scenario:
    """Return the scenario as changed by the options. Raises InvalidScenario, ValueError."""
    scenario = read_scenario(Path(options.scenario))
    changes: dict[str, Any] = {}
    if options.stages:
        changes["users"] = tuple(int(number) for number in options.stages.split(","))
    if options.stage_seconds:
        changes["seconds"] = options.stage_seconds
    if options.seed is not None:
        changes["seed"] = options.seed
    return replace(scenario, **changes)


def catalogue_of(options: Namespace, scenario: Scenario) -> Catalogue | None:
    """Return the images, from `--images` or the file that the scenario names; None without either.

    Raises InvalidScenario, OSError.
    """
    path = Path(options.images) if options.images else None
    if path is None and scenario.images:
        path = Path(options.scenario).parent / scenario.images
    if path is None:
        return None
    read = images_from_json if path.suffix == ".json" else images_from_csv
    return Catalogue.of(read(path.read_text(encoding="utf-8")))
