"""Curate: what a person may do who feeds the service, as a policy to attach to them."""

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.ingest import IngestStack
from stacks.stage import StageStack
from stacks.store import StoreStack
from vitrine.store.layout import HARVESTS, JOURNAL, OBJECTS, OWNERS, TEXTS, USES
from vitrine.store.site_layout import PUBLISHED, STORED_THEME

_CURATED = (JOURNAL, OBJECTS, USES, HARVESTS, TEXTS, OWNERS)
"""Of the bucket of records."""


class CurateStack(StageStack):
    """The managed policy of curators, which no role of the service has.

    It is for `vitrine ingest`, `status`, `image`, `redirects`, `object`, `collection schedule`, and
    `masters delete`, which hides a master behind a delete marker: no
    version of a master is ever deleted.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        store: StoreStack,
        identify: IdentifyStack,
        ingest: IngestStack,
    ) -> None:
        super().__init__(scope, "curate", environment=environment)
        self._named = f"vitrine-{environment.name}-"
        policy = iam.ManagedPolicy(
            self,
            "Curators",
            description="Feed Vitrine, and look after its images",
            statements=[
                *_storage(store),
                *_tables(identify),
                *self._looking(),
                iam.PolicyStatement(
                    actions=["states:ListExecutions"],
                    resources=[ingest.machine.state_machine_arn],
                ),
                iam.PolicyStatement(
                    actions=["events:PutEvents"],
                    resources=[self._arn("events", f"event-bus/{environment.event_bus}")],
                    conditions={"StringEquals": {"events:source": "vitrine"}},
                ),
            ],
        )
        self.publish_outputs({"CuratorPolicyArn": policy.managed_policy_arn})

    def _looking(self) -> list[iam.PolicyStatement]:
        """Return what `status` and `object` look at, by the names of our stacks."""
        name = self._named
        looked_at = {
            "cloudformation:DescribeStacks": self._arn("cloudformation", f"stack/{name}*/*"),
            "sqs:GetQueueAttributes": self._arn("sqs", f"{name}*"),
            "ecs:DescribeServices": self._arn("ecs", f"service/{name}*/{name}*"),
            # Whose settings are those of the command line, too.
            "lambda:GetFunctionConfiguration": self._arn(
                "lambda", f"function:{name}present-PublishObjects*"
            ),
        }
        return [
            iam.PolicyStatement(actions=[action], resources=[resource])
            for action, resource in looked_at.items()
        ]

    def _arn(self, service: str, resource: str) -> str:
        return f"arn:{cdk.Aws.PARTITION}:{service}:{cdk.Aws.REGION}:{cdk.Aws.ACCOUNT_ID}:{resource}"


def _storage(store: StoreStack) -> list[iam.PolicyStatement]:
    masters, records = store.masters, store.records
    return [
        iam.PolicyStatement(
            actions=[
                *("s3:GetObject", "s3:GetObjectVersion", "s3:GetObjectTagging"),
                *("s3:PutObject", "s3:PutObjectTagging", "s3:AbortMultipartUpload"),
                "s3:DeleteObject",
            ],
            resources=[masters.arn_for_objects("*")],
        ),
        iam.PolicyStatement(
            actions=["s3:GetObject", "s3:PutObject"],
            resources=[
                *(records.arn_for_objects(f"{root}*") for root in _CURATED),
                *(store.site.arn_for_objects(f"{root}*") for root in PUBLISHED),
            ],
        ),
        iam.PolicyStatement(
            actions=["s3:GetObject"], resources=[store.site.arn_for_objects(STORED_THEME)]
        ),
        iam.PolicyStatement(
            actions=["s3:ListBucket", "s3:ListBucketVersions"],
            resources=[masters.bucket_arn, records.bucket_arn, store.site.bucket_arn],
        ),
    ]


def _tables(identify: IdentifyStack) -> list[iam.PolicyStatement]:
    tables = (identify.identifiers.table_arn, identify.outcomes.table_arn)
    return [
        iam.PolicyStatement(
            actions=[
                *("dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Scan"),
                *("dynamodb:PutItem", "dynamodb:UpdateItem"),
            ],
            resources=[*tables],
        ),
        iam.PolicyStatement(
            actions=["dynamodb:Query"], resources=[f"{arn}/index/*" for arn in tables]
        ),
    ]
