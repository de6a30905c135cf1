"""The bucket that curators upload masters to."""

from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs.private_bucket import PrivateBucket
from stacks.environments import Environment


class MastersBucket(PrivateBucket):
    """Masters never expire; old versions do, after the environment's number of days.

    `copies` are the rules by which they are replicated.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        logs: s3.IBucket,
        copies: Sequence[s3.ReplicationRule] = (),
    ) -> None:
        super().__init__(
            scope,
            id_,
            server_access_logs_bucket=logs,
            server_access_logs_prefix="masters/",
            lifecycle_rules=[_glacier_rule(environment)],
            replication_rules=list(copies) or None,
        )
        # The construct's own option would add a custom resource and its Lambda.
        template = self.node.default_child
        assert isinstance(template, s3.CfnBucket)
        template.add_property_override(
            "NotificationConfiguration.EventBridgeConfiguration.EventBridgeEnabled", True
        )


def _glacier_rule(environment: Environment) -> s3.LifecycleRule:
    return s3.LifecycleRule(
        id="masters-age",
        transitions=[
            s3.Transition(
                storage_class=s3.StorageClass.GLACIER_INSTANT_RETRIEVAL,
                transition_after=cdk.Duration.days(environment.glacier_after_days),
            )
        ],
        noncurrent_version_expiration=cdk.Duration.days(environment.noncurrent_days),
    )
