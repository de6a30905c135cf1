"""Replica: the buckets in a second region that masters and records are copied to."""

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs.private_bucket import PrivateBucket
from stacks.constructs.records_bucket import replaced_secrets_rule
from stacks.copies import Replica
from stacks.environments import Environment
from stacks.stage import StageStack, let_go

_ARCHIVE = s3.StorageClass.GLACIER_INSTANT_RETRIEVAL


class ReplicaStack(StageStack):
    """`masters` and `records`, as destinations of a replication.

    A value of another region cannot be imported: the store reads this stack's outputs
    (Fn::GetStackOutput).
    """

    def __init__(self, scope: Construct, *, environment: Environment, replica: Replica) -> None:
        super().__init__(
            scope,
            "replica",
            environment=environment,
            region=replica.region,
            key_arn=replica.key_arn,
        )
        # An old version goes when it goes in the bucket that it came from, unless it is locked.
        masters = cdk.Duration.days(environment.noncurrent_days)
        self.masters = PrivateBucket(
            self,
            "MastersReplica",
            lifecycle_rules=[s3.LifecycleRule(noncurrent_version_expiration=masters)],
            **_lock(replica),
        )
        self.records = PrivateBucket(
            self, "RecordsReplica", lifecycle_rules=[replaced_secrets_rule()], **_lock(replica)
        )
        self.publish_outputs(
            {
                "MastersReplicaName": self.masters.bucket_name,
                "RecordsReplicaName": self.records.bucket_name,
            }
        )

    def masters_rule(self, store: Construct) -> s3.ReplicationRule:
        """Return the replication of masters, at once into the class that they age into."""
        return self._rule(store, self.masters, storage_class=_ARCHIVE)

    def records_rule(self, store: Construct) -> s3.ReplicationRule:
        """Return the replication of records."""
        return self._rule(store, self.records)

    def _rule(self, store: Construct, copies: s3.Bucket, **rest: Any) -> s3.ReplicationRule:
        """Return the replication to `copies`, which the stack `store` knows by its ARN alone."""
        resource = copies.node.default_child
        assert isinstance(resource, s3.CfnBucket)
        let_go(resource)
        return s3.ReplicationRule(
            id="second-region",
            destination=s3.Bucket.from_bucket_arn(store, copies.node.id, resource.attr_arn),
            delete_marker_replication=True,
            kms_key=self.key,
            # Otherwise what has a key of KMS is left out.
            sse_kms_encrypted_objects=True if self.key else None,
            priority=1,
            **rest,
        )


def _lock(replica: Replica) -> dict[str, Any]:
    if not replica.locked_days:
        return {}
    days = cdk.Duration.days(replica.locked_days)
    lock = s3.ObjectLockRetention
    retention = lock.compliance(days) if replica.lock == "compliance" else lock.governance(days)
    return {"object_lock_enabled": True, "object_lock_default_retention": retention}
