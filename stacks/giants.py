"""Giants: masters that no Lambda can hold, and what every step knows of the limits."""

from collections.abc import Callable
from typing import Any

from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.converter_task import ConverterTask
from stacks.constructs.giant_steps import GiantSteps, conversion_seconds
from stacks.constructs.network import Network
from stacks.constructs.python_function import PythonFunction
from stacks.environments import Environment
from stacks.store import StoreStack
from vitrine.settings import IngestSettings
from vitrine.store.layout import CONVERSIONS, PLACES


def converter_limits(environment: Environment) -> dict[str, Any]:
    """Settings (`IngestSettings`) that say which converter has room for what."""
    small, large = environment.small_converter, environment.large_converter
    giant = environment.giant_converter
    largest = giant or large
    limits = {
        # The disk holds a master and more, so a master that fills it cannot be converted.
        "maximum_master_mebibytes": largest.usable_disk_mebibytes,
        "maximum_memory_mebibytes": largest.usable_memory_mebibytes,
        "maximum_disk_mebibytes": largest.usable_disk_mebibytes,
        "large_memory_mebibytes": large.usable_memory_mebibytes,
        "large_disk_mebibytes": large.usable_disk_mebibytes,
        "small_memory_mebibytes": small.usable_memory_mebibytes,
        "small_disk_mebibytes": small.usable_disk_mebibytes,
    }
    if giant is None:
        return limits
    return limits | {
        "maximum_megapixels": giant.maximum_megapixels,
        "giants_at_once": giant.at_once,
        "giant_seconds": conversion_seconds(),
    }


def giant_steps(
    scope: Construct,
    *,
    environment: Environment,
    network: Network,
    store: StoreStack,
    settings: IngestSettings,
    function: Callable[[str], PythonFunction],
) -> GiantSteps | None:
    """What converts giants, with its grants; `function` makes one of a step. None: nothing does."""
    size = environment.giant_converter
    if size is None:
        return None
    giants = GiantSteps(
        request_conversion=function("request_conversion"),
        convert_master=ConverterTask(
            scope,
            "ConvertMasterGiantTask",
            environment=environment,
            size=size,
            settings=settings,
            network=network,
        ),
        read_conversion=function("read_conversion"),
    )
    _grant(giants, store)
    return giants


def _grant(giants: GiantSteps, store: StoreStack) -> None:
    """Requests and outcomes go through the bucket of records, places are kept there."""
    task, conversions, places = giants.convert_master.task_role, f"{CONVERSIONS}*", f"{PLACES}*"
    for step in (giants.request_conversion, giants.read_conversion):
        grants.read_objects(store.records, step, places)
        grants.write_objects(store.records, step, places)
    grants.write_objects(store.records, giants.request_conversion, conversions)
    grants.read_objects(store.records, giants.read_conversion, conversions)
    grants.read_objects(store.records, task, conversions)
    grants.write_objects(store.records, task, conversions)
    grants.read_objects(store.masters, task)
    grants.read_objects(store.access_masters, task)
    grants.write_objects(store.access_masters, task)
