"""A DynamoDB table of our state."""

from collections.abc import Mapping
from types import MappingProxyType

from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from stacks.constructs.removal import removal_policy
from stacks.environments import Environment
from stacks.stage import operators_key

# The throughput that a new on-demand table has at once: it limits the bill, not the service.
MAXIMUM_READS_PER_SECOND = 12_000
MAXIMUM_WRITES_PER_SECOND = 4_000
NO_INDEXES: Mapping[str, tuple[str, str]] = MappingProxyType({})


class StateTable(dynamodb.TableV2):
    """A table that is billed on demand and recoverable to any second of the last 35 days."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        key: str,
        sort: str = "",
        indexes: Mapping[str, tuple[str, str]] = NO_INDEXES,
    ) -> None:
        """Keys of the table and of its indexes, a hash key and a sort key each, are strings."""
        encrypting = operators_key(scope)
        super().__init__(
            scope,
            id_,
            partition_key=_text(key),
            sort_key=_text(sort) if sort else None,
            billing=dynamodb.Billing.on_demand(
                max_read_request_units=MAXIMUM_READS_PER_SECOND,
                max_write_request_units=MAXIMUM_WRITES_PER_SECOND,
            ),
            global_secondary_indexes=[
                dynamodb.GlobalSecondaryIndexPropsV2(
                    index_name=name, partition_key=_text(partition), sort_key=_text(sort)
                )
                for name, (partition, sort) in indexes.items()
            ],
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            deletion_protection=environment.deletion_protected,
            encryption=dynamodb.TableEncryptionV2.customer_managed_key(encrypting)
            if encrypting
            else None,
            removal_policy=removal_policy(environment),
        )


def _text(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)
