"""The part of the ingest stack that converts giants: masters that no Lambda can hold."""

from collections.abc import Callable

from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.converter_task import ConverterTask
from stacks.constructs.giant_steps import GiantSteps
from stacks.constructs.network import Network
from stacks.constructs.python_function import PythonFunction
from stacks.environments import Environment
from stacks.store import StoreStack
from vitrine.settings.ingest import IngestSettings
from vitrine.store.layout import CONVERSIONS, GIANT_SLOTS


def giant_steps(
    scope: Construct,
    *,
    environment: Environment,
    network: Network | None,
    store: StoreStack,
    settings: IngestSettings,
    function: Callable[[str], PythonFunction],
) -> GiantSteps | None:
    """Make the steps that convert giants, with their grants; None without converter or network.

    `function` makes the Lambda of a step.
    """
    size = environment.giant_converter
    if size is None or network is None:
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
    _grant_steps(giants, store)
    return giants


def _grant_steps(giants: GiantSteps, store: StoreStack) -> None:
    """Let the steps use the bucket of records: for requests, outcomes and slots."""
    task, conversions, places = (
        giants.convert_master.task_role,
        f"{CONVERSIONS}*",
        f"{GIANT_SLOTS}*",
    )
    for step in (giants.request_conversion, giants.read_conversion):
        grants.read_objects(store.records, step, places)
        grants.write_objects(store.records, step, places)
    grants.write_objects(store.records, giants.request_conversion, conversions)
    grants.read_objects(store.records, giants.read_conversion, conversions)
    grants.read_objects(store.records, task, conversions)
    grants.write_objects(store.records, task, conversions)
    grants.read_versions(store.masters, task)
    grants.read_objects(store.access_masters, task)
    grants.read_versions(store.access_masters, task)
    grants.read_tags(store.access_masters, task)
    grants.write_objects(store.access_masters, task)
