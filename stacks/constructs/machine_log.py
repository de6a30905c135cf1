"""What a state machine writes down."""

from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from stacks.constructs.kept_log import KeptLog
from stacks.environments import Environment


def machine_log(scope: Construct, id_: str, environment: Environment) -> sfn.LogOptions:
    """Errors with what led to them, and everything where the environment is one to play with."""
    return sfn.LogOptions(
        destination=KeptLog(scope, f"{id_}Log", environment=environment),
        level=sfn.LogLevel.ERROR if environment.protected else sfn.LogLevel.ALL,
        include_execution_data=True,
    )
