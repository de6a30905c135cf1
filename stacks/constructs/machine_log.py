"""The log of a state machine."""

from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from stacks.constructs.kept_log import KeptLog
from stacks.environments import Environment


def machine_log(scope: Construct, id_: str, environment: Environment) -> sfn.LogOptions:
    """Return options that log errors with their context; everything, if data is not protected."""
    return sfn.LogOptions(
        destination=KeptLog(scope, f"{id_}Log", environment=environment),
        level=sfn.LogLevel.ERROR if environment.protected else sfn.LogLevel.ALL,
        include_execution_data=True,
    )
