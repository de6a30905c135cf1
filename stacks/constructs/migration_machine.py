"""The state machine of a migration: a Distributed Map over its items, one step for each batch."""

import aws_cdk as cdk
import jsii
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from stacks.constructs.lambda_task import lambda_task
from stacks.constructs.machine_log import machine_log
from stacks.constructs.python_function import PythonFunction
from stacks.environments import Environment
from vitrine.errors import IngestUnfinished
from vitrine.migrate.messages import MASTERS_PER_CHILD
from vitrine.store.layout import MIGRATIONS

FIRST_PAUSE_SECONDS = 5
"""Pause before a batch with ingests of minutes is tried again."""
MAX_PAUSE_SECONDS = 120
COMMON = ("begun_at", "tried_at", "tolerated_percent", "at_once")
"""Fields of a migration's input that are common to all of its masters."""
MAX_BATCH_BYTES = 240 * 1024
"""A child's input may have 256 KiB (Step Functions quotas), what is common to all included."""
MAX_DURATION = cdk.Duration.days(60)


class _Items(sfn.S3JsonLItemReader):
    """A reader of migrations' items; by itself it could read the journal of identifiers too."""

    @jsii.member(jsii_name="providePolicyStatements")
    def provide_policy_statements(self) -> list[iam.PolicyStatement]:
        assert self.bucket
        return [_allow(self.bucket, "s3:GetObject")]


class _Results(sfn.ResultWriterV2):
    """A writer of migrations' results; by itself it could write the whole bucket."""

    @jsii.member(jsii_name="providePolicyStatements")
    def provide_policy_statements(self) -> list[iam.PolicyStatement]:
        assert self.bucket
        # Step Functions writes in parts, and reads what it has written.
        parts = ("s3:ListMultipartUploadParts", "s3:AbortMultipartUpload")
        return [_allow(self.bucket, "s3:GetObject", "s3:PutObject", *parts)]


def _allow(bucket: s3.IBucket, *actions: str) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        actions=list(actions), resources=[bucket.arn_for_objects(f"{MIGRATIONS}*")]
    )


class MigrationMachine(sfn.StateMachine):
    """MigrateMaster for the lines of a JSON Lines file in `records`, batch by batch.

    Input: `items` and `results`, a key and a prefix of `records`; `tolerated_percent`; `at_once`,
    0 for as many as the environment allows; `begun_at` and `tried_at`. The step waits for the ends
    of the ingests that it started, and its Retry for those that take longer than it may.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        records: s3.IBucket,
        migrate_master: PythonFunction,
        longest_ingest_seconds: int,
    ) -> None:
        step = lambda_task(scope, migrate_master)
        step.add_retry(
            errors=[IngestUnfinished.__name__],
            interval=cdk.Duration.seconds(FIRST_PAUSE_SECONDS),
            backoff_rate=2,
            max_attempts=count_looks(longest_ingest_seconds),
            max_delay=cdk.Duration.seconds(MAX_PAUSE_SECONDS),
            jitter_strategy=sfn.JitterType.FULL,
        )
        each = _map(scope, environment, records)
        each.item_processor(step)
        super().__init__(
            scope,
            id_,
            definition_body=sfn.DefinitionBody.from_chainable(
                each.next(sfn.Succeed(scope, "Migrated"))
            ),
            state_machine_type=sfn.StateMachineType.STANDARD,
            timeout=MAX_DURATION,
            tracing_enabled=True,
            logs=machine_log(scope, id_, environment),
        )


def _map(scope: Construct, environment: Environment, records: s3.IBucket) -> sfn.DistributedMap:
    return sfn.DistributedMap(
        scope,
        "MigrateEach",
        map_execution_type=sfn.StateMachineType.STANDARD,
        max_concurrency=environment.migration_children,
        tolerated_failure_percentage_path="$.tolerated_percent",
        item_reader=_Items(bucket=records, key=sfn.JsonPath.string_at("$.items")),
        item_batcher=sfn.ItemBatcher(
            max_items_per_batch=MASTERS_PER_CHILD,
            max_input_bytes_per_batch=MAX_BATCH_BYTES,
            # The CDK does not render paths here (aws-cdk-lib 2.275): they would stay texts.
            batch_input={
                **{f"{name}.$": f"$.{name}" for name in COMMON},
                "most_at_once": environment.migrations_per_child,
            },
        ),
        result_writer_v2=_Results(
            bucket=records,
            prefix=sfn.JsonPath.string_at("$.results"),
            writer_config=sfn.WriterConfig(
                output_type=sfn.OutputType.JSONL, transformation=sfn.Transformation.NONE
            ),
        ),
        result_path=sfn.JsonPath.DISCARD,
    )


def count_looks(longest_ingest_seconds: int) -> int:
    """Return how often the step looks, so that it outlasts the longest ingest.

    Pauses are random, on average half as long as the longest one; the shortest that may come
    are enough.
    """
    return 4 * longest_ingest_seconds // MAX_PAUSE_SECONDS
