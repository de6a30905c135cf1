"""The bucket that curators upload masters to."""

from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from stacks.constructs.private_bucket import PrivateBucket
from stacks.environments import Environment

PREFLIGHT_SECONDS = 3_600
"""Seconds for which a browser need not ask again whether it may send."""


class MastersBucket(PrivateBucket):
    """Masters never expire; old versions do, after the environment's number of days.

    `notifications` is the queue to which S3 itself reports what is created and deleted, apart from
    the events on EventBridge. `copies` are the rules by which masters are replicated.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        logs: s3.IBucket,
        notifications: sqs.Queue,
        copies: Sequence[s3.ReplicationRule] = (),
    ) -> None:
        super().__init__(
            scope,
            id_,
            server_access_logs_bucket=logs,
            server_access_logs_prefix="masters/",
            lifecycle_rules=[_glacier_rule(environment)],
            replication_rules=list(copies) or None,
            cors=_desk_rules(environment),
        )
        # The construct's own options would add a custom resource and its Lambda.
        template = self.node.default_child
        assert isinstance(template, s3.CfnBucket)
        template.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
            event_bridge_configuration=s3.CfnBucket.EventBridgeConfigurationProperty(
                event_bridge_enabled=True
            ),
            queue_configurations=[
                s3.CfnBucket.QueueConfigurationProperty(event=event, queue=notifications.queue_arn)
                for event in ("s3:ObjectCreated:*", "s3:ObjectRemoved:*")
            ],
        )
        # S3 tries the queue when it is named, and the bucket's own name is not known before.
        notifications.add_to_resource_policy(
            iam.PolicyStatement(
                actions=["sqs:SendMessage"],
                principals=[iam.ServicePrincipal("s3.amazonaws.com")],
                resources=[notifications.queue_arn],
                conditions={"StringEquals": {"aws:SourceAccount": environment.account}},
            )
        )
        template.node.add_dependency(notifications)


def _desk_rules(environment: Environment) -> list[s3.CorsRule] | None:
    """Let pages of the desk send masters, by the addresses that the API signs."""
    if not environment.desk:
        return None
    return [
        s3.CorsRule(
            allowed_methods=[s3.HttpMethods.PUT],
            allowed_origins=[*environment.desk_origins],
            allowed_headers=["*"],
            exposed_headers=["ETag"],
            max_age=PREFLIGHT_SECONDS,
        )
    ]


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
