"""The part of the present stack that counts visits by the edge's access log."""

import aws_cdk as cdk
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.clocked_start import start_by_clock
from stacks.constructs.edge_logs import edge_log_prefix
from stacks.constructs.lambda_layers import PowertoolsLayer, StatisticsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.edge import EdgeStack
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.store import StoreStack
from vitrine.settings.present import StatisticsSettings
from vitrine.store.layout import STATISTICS

COUNTER = "count_visits"
"""A step that imports what reads logs."""
ROUND = cdk.Duration.days(1)
SIZE = FunctionSize(memory_mebibytes=1_769, timeout_seconds=900)
"""One vCPU."""


def count_visits(
    scope: Construct,
    *,
    environment: Environment,
    powertools: PowertoolsLayer,
    store: StoreStack,
    identify: IdentifyStack,
    edge: EdgeStack,
) -> None:
    """Make the Lambda, and the schedule that starts it.

    Nothing rings: a day that a run leaves out is counted by the next one, for a week.
    """
    prefix = edge_log_prefix(environment.account, edge.distribution.distribution_id)
    counter = PythonFunction(
        scope,
        COUNTER,
        environment=environment,
        settings=StatisticsSettings(
            logs_bucket=store.access_logs.bucket_name,
            logs_prefix=prefix,
            records_bucket=store.records.bucket_name,
            catalogue_table=identify.catalogue.table_name,
        ),
        layers=[
            powertools,
            StatisticsLayer(scope, "StatisticsLayer", architecture=environment.architecture),
        ],
        size=SIZE,
    )
    grants.list_versions(store.access_logs, counter)
    grants.read_objects(store.access_logs, counter, f"{prefix}*")
    grants.look_up_statements(identify.catalogue, counter)
    grants.read_objects(store.records, counter, f"{STATISTICS}*")
    grants.write_objects(store.records, counter, f"{STATISTICS}*")
    start_by_clock(
        scope,
        "VisitsSchedule",
        counter,
        ROUND,
        "Counts the visits of the last days by the edge's log.",
    )
