"""A log group that keeps its events for the environment's number of days."""

from aws_cdk import aws_logs as logs
from constructs import Construct

from stacks.constructs.removal import removal_policy
from stacks.environments import Environment

RETENTION = {
    14: logs.RetentionDays.TWO_WEEKS,
    30: logs.RetentionDays.ONE_MONTH,
    90: logs.RetentionDays.THREE_MONTHS,
    365: logs.RetentionDays.ONE_YEAR,
}


class KeptLog(logs.LogGroup):
    """A log group of ours; one that a service makes by itself would be kept forever."""

    def __init__(self, scope: Construct, id_: str, *, environment: Environment) -> None:
        super().__init__(
            scope,
            id_,
            retention=RETENTION[environment.log_days],
            removal_policy=removal_policy(environment),
        )
