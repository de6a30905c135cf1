"""Grants of single actions: no wildcard in an action, no deletion of a master.

The grants that the CDK's constructs have (`grant_read`, …) allow `s3:GetObject*` and the like.
"""

from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn

from vitrine.identify.canary import CANARY_IDENTIFIER
from vitrine.store.layout import JOURNAL
from vitrine.store.site_layout import PUBLISHED, STORED_THEME


def read_objects(bucket: s3.IBucket, reader: iam.IGrantable, keys: str = "*") -> None:
    """Allow reading newest versions; without ListBucket an absent object would answer 403."""
    _allow(reader, [bucket.arn_for_objects(keys)], "s3:GetObject")
    _allow(reader, [bucket.bucket_arn], "s3:ListBucket")


def read_versions(bucket: s3.IBucket, reader: iam.IGrantable, keys: str = "*") -> None:
    """Allow reading versions by their ids; without ListBucket an absent one would answer 403."""
    _allow(reader, [bucket.arn_for_objects(keys)], "s3:GetObjectVersion")
    _allow(reader, [bucket.bucket_arn], "s3:ListBucket")


def write_objects(bucket: s3.IBucket, writer: iam.IGrantable, keys: str = "*") -> None:
    """Allow writing objects, and ending multipart uploads."""
    actions = ("s3:PutObject", "s3:AbortMultipartUpload")
    _allow(writer, [bucket.arn_for_objects(keys)], *actions)


def write_publications(site: s3.IBucket, writer: iam.IGrantable) -> None:
    """Allow writing what is published of objects and collections, in the look of the site."""
    for keys in PUBLISHED:
        read_objects(site, writer, f"{keys}*")
        write_objects(site, writer, f"{keys}*")
    read_objects(site, writer, STORED_THEME)


def read_tags(bucket: s3.IBucket, reader: iam.IGrantable) -> None:
    """Allow reading the tags of newest versions."""
    _allow(reader, [bucket.arn_for_objects("*")], "s3:GetObjectTagging")


def tag_objects(bucket: s3.IBucket, tagger: iam.IGrantable) -> None:
    """Allow reading and setting tags; without ListBucket an absent object would answer 403."""
    _allow(tagger, [bucket.arn_for_objects("*")], "s3:GetObjectTagging", "s3:PutObjectTagging")
    _allow(tagger, [bucket.bucket_arn], "s3:ListBucket")


def list_versions(bucket: s3.IBucket, reader: iam.IGrantable) -> None:
    """Allow listing keys, also those of deleted objects."""
    _allow(reader, [bucket.bucket_arn], "s3:ListBucketVersions")


def read_items(table: dynamodb.ITableV2, reader: iam.IGrantable) -> None:
    """Allow reading single items."""
    _allow(reader, [table.table_arn], "dynamodb:GetItem")


def read_many_items(table: dynamodb.ITableV2, reader: iam.IGrantable) -> None:
    """Allow reading many items at once by their keys."""
    _allow(reader, [table.table_arn], "dynamodb:BatchGetItem")


def look_up_statements(catalogue: dynamodb.ITableV2, reader: iam.IGrantable) -> None:
    """Allow asking what records say of a subject."""
    _allow(reader, [catalogue.table_arn], "dynamodb:Query")


def write_statements(catalogue: dynamodb.ITableV2, writer: iam.IGrantable) -> None:
    """Allow the same, and writing it; nothing may delete a statement."""
    look_up_statements(catalogue, writer)
    _allow(writer, [catalogue.table_arn], "dynamodb:BatchWriteItem")


def write_items(table: dynamodb.ITableV2, writer: iam.IGrantable) -> None:
    """Allow reading and conditionally writing single items; nothing may delete one."""
    _allow(writer, [table.table_arn], "dynamodb:GetItem", "dynamodb:PutItem")


def count_uses(table: dynamodb.ITable, counter: iam.IGrantable) -> None:
    """Allow adding to counters, and no more."""
    _allow(counter, [table.table_arn], "dynamodb:UpdateItem")


def plant_canary(table: dynamodb.ITableV2, writer: iam.IGrantable) -> None:
    """Allow writing the one item by which readers tell a whole table, and no other."""
    iam.Grant.add_to_principal(
        grantee=writer,
        actions=["dynamodb:PutItem"],
        resource_arns=[table.table_arn],
        conditions={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": [CANARY_IDENTIFIER]}},
    )


def change_identifiers(
    records: s3.IBucket, table: dynamodb.ITableV2, writer: iam.IGrantable
) -> None:
    """Allow what `vitrine.identify.register` does: write identifiers' journal and table."""
    keys = f"{JOURNAL}*"
    _allow(writer, [records.arn_for_objects(keys)], "s3:GetObject", "s3:PutObject")
    _allow(writer, [records.bucket_arn], "s3:ListBucket", "s3:ListBucketVersions")
    write_items(table, writer)


def query_index(table: dynamodb.ITableV2, index: str, reader: iam.IGrantable) -> None:
    """Allow querying one index, and reading single items."""
    read_items(table, reader)
    _allow(reader, [f"{table.table_arn}/index/{index}"], "dynamodb:Query")


def find_redirects(identifiers: dynamodb.ITableV2, reader: iam.IGrantable) -> None:
    """Allow asking which identifiers lead to one."""
    _allow(reader, [f"{identifiers.table_arn}/index/by-target"], "dynamodb:Query")


def put_events(bus: events.IEventBus, sender: iam.IGrantable) -> None:
    """Allow sending events to one bus, with source `vitrine` only."""
    iam.Grant.add_to_principal(
        grantee=sender,
        actions=["events:PutEvents"],
        resource_arns=[bus.event_bus_arn],
        conditions={"StringEquals": {"events:source": "vitrine"}},
    )


def encrypt_messages(key: kms.IKey, sender: iam.IGrantable) -> None:
    """Allow what SNS does with a topic's key for a sender to the topic."""
    _allow(sender, [key.key_arn], "kms:Decrypt", "kms:GenerateDataKey")


def take_messages(queue: sqs.IQueue, reader: iam.IGrantable) -> None:
    """Allow receiving messages and deleting what was received."""
    _allow(reader, [queue.queue_arn], "sqs:ReceiveMessage", "sqs:DeleteMessage")


def describe_executions(machine: sfn.IStateMachine, reader: iam.IGrantable) -> None:
    """Allow asking whether one execution is running."""
    machine.grant_execution(reader, "states:DescribeExecution")


def list_executions(machine: sfn.IStateMachine, reader: iam.IGrantable) -> None:
    """Allow listing the executions of one machine."""
    _allow(reader, [machine.state_machine_arn], "states:ListExecutions")


def replace_masters(masters: s3.IBucket, writer: iam.IGrantable) -> None:
    """Allow new versions of masters, also as copies of present ones with their tags.

    Nothing is lost by that: the bucket keeps versions, and nobody is allowed to delete one.
    """
    reading = ("s3:GetObject", "s3:GetObjectVersion")
    tagging = ("s3:GetObjectTagging", "s3:GetObjectVersionTagging", "s3:PutObjectTagging")
    _allow(writer, [masters.arn_for_objects("*")], *reading, *tagging, "s3:PutObject")
    _allow(writer, [masters.bucket_arn], "s3:ListBucket")


def list_upload_parts(masters: s3.IBucket, reader: iam.IGrantable) -> None:
    """Allow listing the parts of an upload; sending them needs the right to write."""
    _allow(reader, [masters.arn_for_objects("*")], "s3:ListMultipartUploadParts")


def _allow(grantee: iam.IGrantable, resources: list[str], *actions: str) -> None:
    iam.Grant.add_to_principal(grantee=grantee, actions=list(actions), resource_arns=resources)
