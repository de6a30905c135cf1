"""Store: the buckets of masters, access masters, records and the site."""

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs.access_masters_bucket import AccessMastersBucket
from stacks.constructs.masters_bucket import MastersBucket
from stacks.constructs.private_bucket import PrivateBucket
from stacks.constructs.records_bucket import RecordsBucket
from stacks.constructs.work_queue import make_private_queue
from stacks.environments import Environment
from stacks.replica import ReplicaStack
from stacks.stage import StageStack

NOTIFICATION_SECONDS = 300
"""Seconds that S3's own notifications wait: EventBridge's event about the same master may take
minutes (S3, "Amazon S3 Event Notifications"), and whatever it started has an outcome by then."""


class StoreStack(StageStack):
    """`masters`, `access_masters`, `records`, `site`, and their `access_logs` and the edge's."""

    def __init__(
        self, scope: Construct, *, environment: Environment, replica: ReplicaStack | None = None
    ) -> None:
        super().__init__(scope, "store", environment=environment)
        self.access_logs = logs = PrivateBucket(
            self,
            "AccessLogs",
            takes_logs=True,
            versioned=False,
            lifecycle_rules=[
                s3.LifecycleRule(expiration=cdk.Duration.days(environment.log_days)),
            ],
        )
        self.notifications = make_private_queue(
            self, "Notifications", delay_seconds=NOTIFICATION_SECONDS
        )
        self.masters = MastersBucket(
            self,
            "Masters",
            environment=environment,
            logs=logs,
            notifications=self.notifications,
            copies=[replica.masters_rule(self)] if replica else (),
        )
        self.access_masters = AccessMastersBucket(self, "AccessMasters", logs=logs)
        self.records = RecordsBucket(
            self, "Records", logs=logs, copies=[replica.records_rule(self)] if replica else ()
        )
        # Its policy, with the TLS rule, is in the edge stack, since it names the distribution.
        self.site = PrivateBucket(
            self,
            "Site",
            enforce_ssl=False,
            server_access_logs_bucket=logs,
            server_access_logs_prefix="site/",
            lifecycle_rules=[
                s3.LifecycleRule(noncurrent_version_expiration=cdk.Duration.days(30)),
            ],
        )
        self.publish_outputs(
            {
                "MastersBucketName": self.masters.bucket_name,
                "AccessMastersBucketName": self.access_masters.bucket_name,
                "RecordsBucketName": self.records.bucket_name,
                "SiteBucketName": self.site.bucket_name,
            }
        )
