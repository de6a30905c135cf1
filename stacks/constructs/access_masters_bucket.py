"""The bucket of the pyramids that we serve from."""

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs.private_bucket import PrivateBucket
from vitrine.store.layout import SUPERSEDED_TAG

SUPERSEDED_DAYS = 7
"""S3 counts from when an object was written, not from when it was tagged: an old one expires at the
next midnight UTC. Expired means hidden; its bytes stay for another week, in case of a mistake.
"""


class AccessMastersBucket(PrivateBucket):
    """The access masters, which are written in Intelligent-Tiering without archive tiers.

    Pyramids are read a few kilobytes at a time.
    """

    def __init__(self, scope: Construct, id_: str, *, logs: s3.IBucket) -> None:
        week = cdk.Duration.days(SUPERSEDED_DAYS)
        super().__init__(
            scope,
            id_,
            server_access_logs_bucket=logs,
            server_access_logs_prefix="access-masters/",
            lifecycle_rules=[
                s3.LifecycleRule(
                    id="versions",
                    noncurrent_version_expiration=week,
                    expired_object_delete_marker=True,
                ),
                s3.LifecycleRule(id="superseded", tag_filters=SUPERSEDED_TAG, expiration=week),
            ],
        )
