"""Curate: what a person may do who feeds the service, as a policy to attach to them."""

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from stacks.api import ApiStack
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.ingest import IngestStack
from stacks.migrate import MigrateStack
from stacks.stage import StageStack
from stacks.store import StoreStack
from vitrine.settings.departments import ALL_COLLECTIONS, Department
from vitrine.store.layout import (
    COLLECTION_RULES,
    HARVESTS,
    JOURNAL,
    MIGRATIONS,
    OBJECTS,
    OWNERS,
    TEXTS,
    collection_folder,
    owned_texts,
    owner_key,
)
from vitrine.store.site_layout import PUBLISHED, STORED_THEME

_CURATED = (JOURNAL, OBJECTS, HARVESTS, TEXTS, OWNERS, COLLECTION_RULES, MIGRATIONS)
"""Prefixes in the bucket of records."""
_MASTERS = (
    *("s3:GetObject", "s3:GetObjectVersion", "s3:GetObjectTagging"),
    *("s3:PutObject", "s3:PutObjectTagging", "s3:AbortMultipartUpload"),
    "s3:DeleteObject",
)
"""Actions on masters."""


class CurateStack(StageStack):
    """The managed policies of curators or of departments, which no role of the service has.

    That of curators is for `vitrine ingest`, `status`, `image`, `redirects`, `object`, `collection
    publish` and `schedule`, `masters migrate`, and `masters delete`, which hides a master behind a
    delete marker: no version of a master is ever deleted. It writes records, so no environment has
    it whose departments change them by the API. That of a department is for `vitrine ingest
    --collection`, `masters delete` and `image replace` of its own masters, for looking, and for
    calling the API, as all other commands of curators do: no record may it write itself
    (docs/adr/0042). That of a department with all collections is the same for all masters, and
    starts migrations and harvests.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        store: StoreStack,
        identify: IdentifyStack,
        ingest: IngestStack,
        migrate: MigrateStack,
        api: ApiStack | None,
    ) -> None:
        super().__init__(scope, "curate", environment=environment)
        self._named = f"vitrine-{environment.name}-"
        calling = _calling(api, environment)
        if not (environment.departments and calling):
            self._write_records(environment, store, identify, ingest, migrate)
        for name, department in environment.departments.items():
            title = "".join(part.capitalize() for part in name.split("-"))
            starting = self._migrating(migrate) if ALL_COLLECTIONS in department.collections else []
            policy = iam.ManagedPolicy(
                self,
                f"Department{title}",
                description=f"Feed the collections of {name}",
                statements=[
                    *_own_storage(store, department),
                    *_tables(identify),
                    *self._looking(ingest),
                    *starting,
                    *calling,
                ],
            )
            self.publish_outputs({f"Department{title}PolicyArn": policy.managed_policy_arn})

    def _write_records(
        self,
        environment: Environment,
        store: StoreStack,
        identify: IdentifyStack,
        ingest: IngestStack,
        migrate: MigrateStack,
    ) -> None:
        """Add the policy of curators who change records themselves."""
        policy = iam.ManagedPolicy(
            self,
            "Curators",
            description="Feed Vitrine, and look after its images",
            statements=[
                *_storage(store),
                *_tables(identify),
                iam.PolicyStatement(
                    actions=["dynamodb:PutItem"], resources=[identify.identifiers.table_arn]
                ),
                iam.PolicyStatement(
                    actions=["dynamodb:BatchWriteItem"], resources=[identify.catalogue.table_arn]
                ),
                *self._looking(ingest),
                *self._migrating(migrate),
                iam.PolicyStatement(
                    actions=["events:PutEvents"],
                    resources=[self._arn("events", f"event-bus/{environment.event_bus}")],
                    conditions={"StringEquals": {"events:source": "vitrine"}},
                ),
            ],
        )
        self.publish_outputs({"CuratorPolicyArn": policy.managed_policy_arn})

    def _looking(self, ingest: IngestStack) -> list[iam.PolicyStatement]:
        """Return what `status` and `object` look at, by the names of our stacks."""
        name = self._named
        looked_at = {
            "cloudformation:DescribeStacks": self._arn("cloudformation", f"stack/{name}*/*"),
            "sqs:GetQueueAttributes": self._arn("sqs", f"{name}*"),
            "ecs:DescribeServices": self._arn("ecs", f"service/{name}*/{name}*"),
        }
        looked_at["states:ListExecutions"] = ingest.machine.state_machine_arn
        return [
            *(
                iam.PolicyStatement(actions=[action], resources=[resource])
                for action, resource in looked_at.items()
            ),
            # Whose settings are those of the command line as well.
            iam.PolicyStatement(
                actions=["lambda:GetFunctionConfiguration"],
                resources=[
                    self._arn("lambda", f"function:{name}{function}*")
                    for function in ("present-PublishObjects", "migrate-MigrateMaster")
                ],
            ),
        ]

    def _migrating(self, migrate: MigrateStack) -> list[iam.PolicyStatement]:
        """Return the right to start migrations, and to follow and slow their Map Runs."""
        name = migrate.machine.state_machine_name
        granted = {
            f"stateMachine:{name}": ["StartExecution"],
            f"execution:{name}:*": ["DescribeExecution", "ListMapRuns"],
            f"mapRun:{name}/*": ["DescribeMapRun", "UpdateMapRun"],
        }
        return [
            iam.PolicyStatement(
                actions=[f"states:{action}" for action in actions],
                resources=[self._arn("states", resource)],
            )
            for resource, actions in granted.items()
        ]

    def _arn(self, service: str, resource: str) -> str:
        return f"arn:{cdk.Aws.PARTITION}:{service}:{cdk.Aws.REGION}:{cdk.Aws.ACCOUNT_ID}:{resource}"


def _storage(store: StoreStack) -> list[iam.PolicyStatement]:
    masters, records = store.masters, store.records
    return [
        iam.PolicyStatement(actions=[*_MASTERS], resources=[masters.arn_for_objects("*")]),
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
        _listing(store),
    ]


def _own_storage(store: StoreStack, department: Department) -> list[iam.PolicyStatement]:
    """Return what a department may do: write masters below its collections' folders."""
    masters, records, own = store.masters, store.records, department.collections
    has_all = ALL_COLLECTIONS in own
    folders = ["*"] if has_all else [f"{collection_folder(one)}*" for one in own]
    keys = [key for one in own for key in (owner_key(one), owned_texts(one))]
    keys = [f"{root}*" for root in (OWNERS, TEXTS, HARVESTS, MIGRATIONS)] if has_all else keys
    return [
        iam.PolicyStatement(
            actions=[*_MASTERS], resources=[masters.arn_for_objects(one) for one in folders]
        ),
        iam.PolicyStatement(
            actions=["s3:PutObject"], resources=[records.arn_for_objects(one) for one in keys]
        ),
        iam.PolicyStatement(
            actions=["s3:GetObject"],
            resources=[
                *(records.arn_for_objects(f"{root}*") for root in _CURATED),
                *(store.site.arn_for_objects(f"{root}*") for root in PUBLISHED),
            ],
        ),
        _listing(store),
    ]


def _listing(store: StoreStack) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        actions=["s3:ListBucket", "s3:ListBucketVersions"],
        resources=[store.masters.bucket_arn, store.records.bucket_arn, store.site.bucket_arn],
    )


def _calling(api: ApiStack | None, environment: Environment) -> list[iam.PolicyStatement]:
    """Return the right to call the API; with tokens, the gateway asks no policy."""
    if not (api and environment.api and environment.api.access == "iam"):
        return []
    return [
        iam.PolicyStatement(
            actions=["execute-api:Invoke"], resources=[api.api.arn_for_execute_api()]
        )
    ]


def _tables(identify: IdentifyStack) -> list[iam.PolicyStatement]:
    tables = (identify.identifiers.table_arn, identify.outcomes.table_arn)
    return [
        iam.PolicyStatement(
            actions=["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Scan"],
            resources=[*tables],
        ),
        iam.PolicyStatement(
            actions=["dynamodb:Query"],
            resources=[*(f"{arn}/index/*" for arn in tables), identify.catalogue.table_arn],
        ),
    ]
