"""The table that counts the photographs of each form, hour by hour, and the ways in."""

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from stacks.stage import let_go, operators_key

KEY, EXPIRES = "name", "expires"
"""Attributes, as `vitrine.adapters.aws.use_counter` writes them."""
MAXIMUM_WRITES_PER_SECOND = 1_000


class UsesTable(dynamodb.Table):
    """Counters that expire within two hours: nothing in it is worth a copy.

    A way in to restricted images is counted so that it is used once.
    """

    def __init__(self, scope: Construct, id_: str) -> None:
        encrypting = operators_key(scope)
        super().__init__(
            scope,
            id_,
            encryption=dynamodb.TableEncryption.CUSTOMER_MANAGED if encrypting else None,
            encryption_key=encrypting,
            partition_key=dynamodb.Attribute(name=KEY, type=dynamodb.AttributeType.STRING),
            time_to_live_attribute=EXPIRES,
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            max_read_request_units=1,
            max_write_request_units=MAXIMUM_WRITES_PER_SECOND,
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        let_go(self)
