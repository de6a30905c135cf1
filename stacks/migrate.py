"""Migrate: a whole collection, item by item, into the existing pipeline."""

from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.alarms import PERIOD, alarm_when_any
from stacks.constructs.lambda_layers import PowertoolsLayer
from stacks.constructs.migration_machine import MigrationMachine
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.ingest import IngestStack
from stacks.ingest_settings import ingest_settings
from stacks.stage import StageStack
from stacks.store import StoreStack
from vitrine.migrate.migrate_batch import BATCH_SECONDS
from vitrine.store.layout import METADATA, OWNERS

SIZE = FunctionSize(memory_mebibytes=1024, timeout_seconds=BATCH_SECONDS + 60)
"""Half a virtual CPU for the requests of 40 threads, and a minute for the last of them."""


class MigrateStack(StageStack):
    """Items in the bucket of records -> Distributed Map -> an ingest execution for each."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        store: StoreStack,
        identify: IdentifyStack,
        ingest: IngestStack,
    ) -> None:
        super().__init__(scope, "migrate", environment=environment)
        migrate = PythonFunction(
            self,
            "migrate_master",
            environment=environment,
            settings=ingest_settings(
                environment,
                store,
                identify,
                state_machine_arn=ingest.machine.state_machine_arn,
                execution_timeout_seconds=ingest.machine.timeout_seconds,
            ),
            layers=[PowertoolsLayer(self, "Powertools", architecture=environment.architecture)],
            size=SIZE,
        )
        grants.read_objects(store.masters, migrate)
        for keys in (METADATA, OWNERS):
            grants.read_objects(store.records, migrate, f"{keys}*")
        grants.write_objects(store.records, migrate, f"{METADATA}*")
        grants.read_items(identify.identifiers, migrate)
        grants.write_items(identify.outcomes, migrate)
        ingest.machine.grant_start_execution(migrate)
        self.machine = machine = MigrationMachine(
            self,
            "MigrationMachine",
            environment=environment,
            records=store.records,
            migrate_master=migrate,
            longest_ingest_seconds=ingest.machine.timeout_seconds,
        )
        alarm_when_any(
            self,
            "MigrationsAlarm",
            metric=machine.metric_failed(period=PERIOD),
            topic=ingest.alarms,
            sentence="A migration stopped: more of its masters than tolerated were not published.",
            runbook="ingests-fail",
        )
        self.publish_outputs(
            {
                "MigrateFunctionName": migrate.function_name,
                "MigrationMachineArn": machine.state_machine_arn,
            }
        )
