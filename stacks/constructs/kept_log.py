"""A log group that keeps its events for the environment's number of days."""

from aws_cdk import aws_logs as logs
from constructs import Construct

from stacks.constructs.removal import removal_policy
from stacks.environments import Environment


class KeptLog(logs.LogGroup):
    """A log group of ours; one that a service makes by itself would be kept forever."""

    def __init__(
        self, scope: Construct, id_: str, *, environment: Environment, name: str | None = None
    ) -> None:
        super().__init__(
            scope, id_, removal_policy=removal_policy(environment), log_group_name=name
        )
        template = self.node.default_child
        assert isinstance(template, logs.CfnLogGroup)
        # The CDK wants a name for each number of days; CloudFormation takes the number.
        template.retention_in_days = environment.log_days
