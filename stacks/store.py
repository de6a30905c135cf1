"""Store: the buckets of masters, access masters, records and the site."""

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs.access_masters_bucket import AccessMastersBucket
from stacks.constructs.masters_bucket import MastersBucket
from stacks.constructs.private_bucket import PrivateBucket
from stacks.environments import Environment
from stacks.stage import StageStack
from vitrine.store.layout import CONVERSIONS, PLACES

CONVERSION_DAYS = 30
"""How long it can be seen how the conversion of a giant ended; no execution takes as long."""


class StoreStack(StageStack):
    """`masters`, `access_masters`, `records`, `site`; and `access_logs`, theirs and the edge's."""

    def __init__(self, scope: Construct, *, environment: Environment) -> None:
        super().__init__(scope, "store", environment=environment)
        self.access_logs = logs = PrivateBucket(
            self,
            "AccessLogs",
            versioned=False,
            lifecycle_rules=[
                s3.LifecycleRule(expiration=cdk.Duration.days(environment.log_days)),
            ],
        )
        self.masters = MastersBucket(self, "Masters", environment=environment, logs=logs)
        self.access_masters = AccessMastersBucket(self, "AccessMasters", logs=logs)
        # The journal of identifiers and what was told of the images: small, and never expiring;
        # and how conversions of giants were asked for and ended, which does.
        self.records = PrivateBucket(
            self,
            "Records",
            server_access_logs_bucket=logs,
            server_access_logs_prefix="records/",
            lifecycle_rules=[
                s3.LifecycleRule(
                    prefix=CONVERSIONS,
                    expiration=cdk.Duration.days(CONVERSION_DAYS),
                    noncurrent_version_expiration=cdk.Duration.days(1),
                ),
                s3.LifecycleRule(prefix=PLACES, noncurrent_version_expiration=cdk.Duration.days(1)),
            ],
        )
        # Its policy, TLS rule included, stands in the edge stack: it names the distribution.
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
