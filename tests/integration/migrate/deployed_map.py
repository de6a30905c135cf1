"""The state machine of migrations that is deployed on one machine."""

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.map_runs import StepFunctionsMapRuns
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.bootstrap.local_service import LocalService


def cloud(service: LocalService) -> AwsAccess:
    return AwsAccess(service.emulator_url, service.region, dummy_credentials=True)


def read_output(service: LocalService, stack: str, name: str) -> str:
    """Return an output of one of the environment's stacks."""
    return stack_outputs(cloud(service).client("cloudformation"), f"vitrine-dev-{stack}")[name]


def connect_map_runs(service: LocalService) -> StepFunctionsMapRuns:
    arn = read_output(service, "migrate", "MigrationMachineArn")
    return StepFunctionsMapRuns(cloud(service).client("stepfunctions"), arn)


def count_executions(service: LocalService, stack: str, output: str) -> int:
    """Return how many executions the machine of an output has had."""
    pages = cloud(service).client("stepfunctions").get_paginator("list_executions")
    found = pages.paginate(stateMachineArn=read_output(service, stack, output))
    return sum(len(page["executions"]) for page in found)
