"""A bucket that is private, encrypted, versioned and kept when its stack is deleted."""

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs.removal import KEPT

MULTIPART_DAYS = 7


class PrivateBucket(s3.Bucket):
    """A bucket for access over TLS only; `lifecycle_rules` and the rest are those of s3.Bucket."""

    def __init__(
        self, scope: Construct, id_: str, *, enforce_ssl: bool = True, **rest: Any
    ) -> None:
        super().__init__(
            scope,
            id_,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=enforce_ssl,
            removal_policy=KEPT,
            **{"versioned": True, **rest},
        )
        self.add_lifecycle_rule(
            id="abandoned-uploads",
            abort_incomplete_multipart_upload_after=cdk.Duration.days(MULTIPART_DAYS),
        )
