"""The part of the ingest stack that follows deletions."""

from aws_cdk import aws_events as events
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.alarms import PERIOD, AlarmTopic, alarm_when_any
from stacks.constructs.ingest_machine import IngestMachine
from stacks.constructs.python_function import PythonFunction
from stacks.constructs.withdrawal_machine import WithdrawalMachine
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.store import StoreStack


def make_withdrawal_machine(
    scope: Construct,
    *,
    environment: Environment,
    withdraw: PythonFunction,
    store: StoreStack,
    identify: IdentifyStack,
    ingest: IngestMachine,
    bus: events.IEventBus,
    alarms: AlarmTopic,
) -> WithdrawalMachine:
    """Make the machine, with the grants of its function."""
    grants.read_objects(store.masters, withdraw)
    grants.tag_objects(store.access_masters, withdraw)
    grants.change_identifiers(store.records, identify.identifiers, withdraw)
    grants.write_items(identify.outcomes, withdraw)
    grants.put_events(bus, withdraw)
    # For a master that was restored before its image was withdrawn.
    ingest.grant_start_execution(withdraw)
    machine = WithdrawalMachine(
        scope, "WithdrawalMachine", environment=environment, withdraw=withdraw
    )
    alarm_when_any(
        scope,
        "WithdrawalsAlarm",
        metric=machine.metric_failed(period=PERIOD),
        topic=alarms,
        sentence="Images of deleted masters could not be withdrawn; the reconciler tries again.",
        runbook="ingests-fail",
    )
    return machine
