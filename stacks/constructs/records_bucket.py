"""The bucket of what the service knows about its images and objects."""

from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs.private_bucket import PrivateBucket
from vitrine.store.layout import (
    ACCESS,
    CONVERSIONS,
    GIANT_SLOTS,
    HARVESTS,
    READINGS,
    REQUESTS,
    THUMBNAILS,
)

CONVERSION_DAYS = 30
"""Days for which the outcome of a giant's conversion is kept; no execution takes as long."""


class RecordsBucket(PrivateBucket):
    """The journal of identifiers, objects and images' metadata, which are small and never expire.

    Requests and outcomes of giants' conversions, answers of the API and the photo door's
    thumbnails do. `copies` are the rules by which all of it is replicated.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        logs: s3.IBucket,
        copies: Sequence[s3.ReplicationRule] = (),
    ) -> None:
        day = cdk.Duration.days(1)
        super().__init__(
            scope,
            id_,
            server_access_logs_bucket=logs,
            server_access_logs_prefix="records/",
            replication_rules=list(copies) or None,
            lifecycle_rules=[
                s3.LifecycleRule(
                    prefix=CONVERSIONS,
                    expiration=cdk.Duration.days(CONVERSION_DAYS),
                    noncurrent_version_expiration=day,
                ),
                s3.LifecycleRule(
                    prefix=REQUESTS, expiration=day, noncurrent_version_expiration=day
                ),
                s3.LifecycleRule(
                    prefix=THUMBNAILS, expiration=day, noncurrent_version_expiration=day
                ),
                # Each update of a collection leaves the folder that it replaced.
                s3.LifecycleRule(
                    prefix=HARVESTS, noncurrent_version_expiration=cdk.Duration.days(30)
                ),
                # A process that reads a book writes what it knows of all its pages again and again.
                s3.LifecycleRule(prefix=READINGS, noncurrent_version_expiration=day),
                s3.LifecycleRule(prefix=GIANT_SLOTS, noncurrent_version_expiration=day),
                replaced_secrets_rule(),
            ],
        )


def replaced_secrets_rule() -> s3.LifecycleRule:
    """Return the rule that removes keys and secrets of access a day after they were replaced.

    With an old key of tickets, one can tell for days gone by who was let in.
    """
    return s3.LifecycleRule(prefix=ACCESS, noncurrent_version_expiration=cdk.Duration.days(1))
