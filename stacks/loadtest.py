"""Load generators on AWS, which `vitrine-loadtest run --on aws` starts; deployed on request only.

`npx cdk deploy -c environment=dev -c loadtest=true vitrine-dev-loadtest`. It is independent
of the service, which it does not change; between load tests nothing runs and nothing is charged.
"""

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs.load_generators import LoadGenerators
from stacks.constructs.private_bucket import PrivateBucket
from stacks.environments import Environment
from stacks.stage import StageStack

RESULTS = "results/"
"""Prefix of the keys that generators may write; what they request is stored next to it."""
INPUTS = "inputs/"
INPUT_DAYS = 7


class LoadTestStack(StageStack):
    """Generators, and a bucket for their tasks and their results."""

    def __init__(self, scope: Construct, *, environment: Environment) -> None:
        super().__init__(scope, "loadtest", environment=environment)
        runs = PrivateBucket(
            self,
            "Runs",
            lifecycle_rules=[
                s3.LifecycleRule(prefix=INPUTS, expiration=cdk.Duration.days(INPUT_DAYS)),
                s3.LifecycleRule(noncurrent_version_expiration=cdk.Duration.days(INPUT_DAYS)),
            ],
        )
        generators = LoadGenerators(self, "Generators", environment=environment)
        iam.Grant.add_to_principal(
            grantee=generators.task.task_role,
            actions=["s3:PutObject"],
            resource_arns=[runs.arn_for_objects(f"{RESULTS}*")],
        )
        self.publish_outputs(
            {
                "RunsBucketName": runs.bucket_name,
                "ClusterName": generators.cluster.cluster_name,
                "TaskDefinitionArn": generators.task.task_definition_arn,
                "LogGroupName": generators.log.log_group_name,
                "SecurityGroupId": generators.group.security_group_id,
                "SubnetIds": cdk.Fn.join(",", generators.subnet_ids),
            }
        )
