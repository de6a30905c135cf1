"""A DynamoDB table whose items are listed by their state."""

from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from stacks.constructs.removal import removal_policy
from stacks.environments import Environment

# The throughput that a new on-demand table has at once: it limits the bill, not the service.
MAXIMUM_READS_PER_SECOND = 12_000
MAXIMUM_WRITES_PER_SECOND = 4_000


class StateTable(dynamodb.TableV2):
    """A table that is billed on demand and recoverable to any second of the last 35 days."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        key: str,
        indexes: dict[str, tuple[str, str]],
    ) -> None:
        """`indexes`: name -> (hash key, range key); all keys are strings."""
        super().__init__(
            scope,
            id_,
            partition_key=_text(key),
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
            removal_policy=removal_policy(environment),
        )


def _text(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)
