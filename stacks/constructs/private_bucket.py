"""A bucket that is private, encrypted, versioned and kept when its stack is deleted."""

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs.removal import KEPT
from stacks.stage import operators_key

MULTIPART_DAYS = 7


class PrivateBucket(s3.Bucket):
    """A bucket for access over TLS only; `lifecycle_rules` and the rest are those of s3.Bucket.

    `takes_logs`: AWS delivers logs to it, which the balancer and S3 do under S3's own keys alone.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        enforce_ssl: bool = True,
        takes_logs: bool = False,
        **rest: Any,
    ) -> None:
        key = None if takes_logs else operators_key(scope)
        super().__init__(
            scope,
            id_,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.KMS if key else s3.BucketEncryption.S3_MANAGED,
            encryption_key=key,
            # One request to KMS for many objects.
            bucket_key_enabled=True if key else None,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=enforce_ssl,
            removal_policy=KEPT,
            **{"versioned": True, **rest},
        )
        self.add_lifecycle_rule(
            id="abandoned-uploads",
            abort_incomplete_multipart_upload_after=cdk.Duration.days(MULTIPART_DAYS),
        )
