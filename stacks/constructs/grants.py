"""Who may do what, in single actions: no wildcard in any action, no delete of any master.

The grants that constructs bring (`grant_read`, …) allow `s3:GetObject*` and the like.
"""

from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_stepfunctions as sfn

from vitrine.store.layout import JOURNAL


def read_objects(bucket: s3.IBucket, reader: iam.IGrantable, keys: str = "*") -> None:
    """Read objects and versions; without ListBucket an absent object would answer 403."""
    _allow(
        reader,
        [bucket.arn_for_objects(keys)],
        "s3:GetObject",
        "s3:GetObjectVersion",
        "s3:GetObjectTagging",
    )
    _allow(reader, [bucket.bucket_arn], "s3:ListBucket")


def write_objects(bucket: s3.IBucket, writer: iam.IGrantable, keys: str = "*") -> None:
    """Write objects; multipart uploads may be ended."""
    actions = ("s3:PutObject", "s3:AbortMultipartUpload")
    _allow(writer, [bucket.arn_for_objects(keys)], *actions)


def tag_objects(bucket: s3.IBucket, tagger: iam.IGrantable) -> None:
    """Read and set tags; without ListBucket an absent object would answer 403."""
    _allow(tagger, [bucket.arn_for_objects("*")], "s3:GetObjectTagging", "s3:PutObjectTagging")
    _allow(tagger, [bucket.bucket_arn], "s3:ListBucket")


def list_versions(bucket: s3.IBucket, reader: iam.IGrantable) -> None:
    """List keys, those of deleted objects too."""
    _allow(reader, [bucket.bucket_arn], "s3:ListBucketVersions")


def read_items(table: dynamodb.ITableV2, reader: iam.IGrantable) -> None:
    """Read single items."""
    _allow(reader, [table.table_arn], "dynamodb:GetItem")


def read_many_items(table: dynamodb.ITableV2, reader: iam.IGrantable) -> None:
    """Read items by their keys, many at once."""
    _allow(reader, [table.table_arn], "dynamodb:GetItem", "dynamodb:BatchGetItem")


def write_items(table: dynamodb.ITableV2, writer: iam.IGrantable) -> None:
    """Read and conditionally write single items; nothing deletes one."""
    actions = ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem")
    _allow(writer, [table.table_arn], *actions)


def change_identifiers(
    records: s3.IBucket, table: dynamodb.ITableV2, writer: iam.IGrantable
) -> None:
    """Write the journal of identifiers and their table; `vitrine.identify.register` does both."""
    keys = f"{JOURNAL}*"
    _allow(writer, [records.arn_for_objects(keys)], "s3:GetObject", "s3:PutObject")
    _allow(writer, [records.bucket_arn], "s3:ListBucket", "s3:ListBucketVersions")
    write_items(table, writer)


def query_index(table: dynamodb.ITableV2, index: str, reader: iam.IGrantable) -> None:
    """Query one index, and read single items."""
    read_items(table, reader)
    _allow(reader, [f"{table.table_arn}/index/{index}"], "dynamodb:Query")


def put_events(bus: events.IEventBus, sender: iam.IGrantable) -> None:
    """Send events to one bus, as source `vitrine` only."""
    iam.Grant.add_to_principal(
        grantee=sender,
        actions=["events:PutEvents"],
        resource_arns=[bus.event_bus_arn],
        conditions={"StringEquals": {"events:source": "vitrine"}},
    )


def list_executions(machine: sfn.IStateMachine, reader: iam.IGrantable) -> None:
    """See which executions of one machine run."""
    _allow(reader, [machine.state_machine_arn], "states:ListExecutions")


def _allow(grantee: iam.IGrantable, resources: list[str], *actions: str) -> None:
    iam.Grant.add_to_principal(grantee=grantee, actions=list(actions), resource_arns=resources)
