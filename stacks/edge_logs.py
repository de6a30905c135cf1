"""Edge logs: the delivery of the edge's access log, if its region is not the global one."""

from constructs import Construct

from stacks.constructs.edge_logs import EdgeLogs
from stacks.environments import Environment
from stacks.stage import GLOBAL_REGION, StageStack


class EdgeLogsStack(StageStack):
    """The delivery; it reads outputs of edge and store in another region (Fn::GetStackOutput)."""

    def __init__(
        self, scope: Construct, *, environment: Environment, distribution_arn: str, bucket_arn: str
    ) -> None:
        super().__init__(
            scope, "logs", environment=environment, region=GLOBAL_REGION, reads_weakly=True
        )
        EdgeLogs(
            self,
            "EdgeLogs",
            environment=environment,
            distribution_arn=distribution_arn,
            bucket_arn=bucket_arn,
        )
