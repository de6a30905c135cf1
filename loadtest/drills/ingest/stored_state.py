"""The real content of buckets, tables and queues, read past the faulty proxy."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from loadtest.drills.ingest.event_courier import QUEUE as COURIERS_QUEUE
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.message_queue import SqsQueue
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.outcome_table import DynamoOutcomeTable
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.ingest.repair.failures import FailureServices
from vitrine.local.up import STAGE
from vitrine.ports import ListedObject, VersionedStore
from vitrine.records import Outcome

KEPT = ("DeadLetters", "Failures", COURIERS_QUEUE)
"""Parts of names of queues whose messages wait for people, or are counted by the courier."""


@dataclass(frozen=True)
class Truth:
    """The fault-free view. Everything is looked up again: the emulator may have been restarted."""

    access: AwsAccess
    kept: tuple[str, ...] = KEPT
    """Parts of names of queues that need not become empty."""

    @cached_property
    def _outputs(self) -> dict[str, str]:
        formation = self.access.client("cloudformation")
        stacks = (f"vitrine-{STAGE}-{name}" for name in ("store", "identify", "ingest"))
        found: dict[str, str] = {}
        for stack in stacks:
            found |= stack_outputs(formation, stack)
        return found

    @property
    def uploads_queue_url(self) -> str:
        """Return the URL of the queue that the starter works on."""
        return self._outputs["StartIngestQueueUrl"]

    @property
    def masters_bucket(self) -> str:
        """Its name."""
        return self._outputs["MastersBucketName"]

    @cached_property
    def masters(self) -> VersionedStore:
        """The curators' bucket."""
        return self._open_store("MastersBucketName")

    @cached_property
    def access_masters(self) -> VersionedStore:
        """The pyramids' bucket."""
        return self._open_store("AccessMastersBucketName")

    @cached_property
    def records(self) -> VersionedStore:
        """The journal's bucket."""
        return self._open_store("RecordsBucketName")

    @cached_property
    def identifiers(self) -> DynamoIdentifierTable:
        """The identifiers table."""
        return DynamoIdentifierTable(
            self.access.client("dynamodb"), self._outputs["IdentifiersTableName"]
        )

    @cached_property
    def outcomes(self) -> DynamoOutcomeTable:
        """The outcomes table."""
        return DynamoOutcomeTable(
            self.access.client("dynamodb"), self._outputs["OutcomesTableName"]
        )

    @cached_property
    def failures(self) -> FailureServices:
        """Failures as `vitrine failures` sees them."""
        return FailureServices(
            failures=self._open_queue("FailuresQueueUrl"),
            dead_letters=self._open_queue("StartIngestDeadLettersUrl"),
            uploads=self._open_queue("StartIngestQueueUrl"),
            outcomes=self.outcomes,
        )

    def all_outcomes(self) -> dict[str, Outcome]:
        """Return all outcomes by master."""
        states = ("running", "published", "rejected", "failed", "withdrawn")
        found = [item for state in states for item in self.outcomes.by_state(state, 100_000)]
        return {outcome.master_key: outcome for outcome in found}

    def running(self) -> int:
        """Executions of all state machines."""
        states = self.access.client("stepfunctions")
        machines = states.list_state_machines()["stateMachines"]
        pages = (
            states.list_executions(
                stateMachineArn=machine["stateMachineArn"], statusFilter="RUNNING", maxResults=1_000
            )
            for machine in machines
        )
        return sum(len(page["executions"]) for page in pages)

    def waiting(self) -> dict[str, int]:
        """Messages by queue: seen by nobody yet, hidden while one works on them, delayed."""
        sqs = self.access.client("sqs")
        return {
            url.rpartition("/")[2]: SqsQueue(sqs, url).length() for url in self._worked_queue_urls()
        }

    def hide_messages_for(self, seconds: int) -> None:
        """Set for how long a message is hidden once a Lambda has taken it, in every queue."""
        for url in self._worked_queue_urls():
            self.access.client("sqs").set_queue_attributes(
                QueueUrl=url, Attributes={"VisibilityTimeout": str(seconds)}
            )

    def unfinished_uploads(self) -> list[tuple[str, str, bool]]:
        """Multipart uploads nobody completed: bucket, key, whether a lifecycle rule ends them."""
        s3 = self.access.client("s3")
        found = []
        for output in ("MastersBucketName", "AccessMastersBucketName", "RecordsBucketName"):
            bucket = self._outputs[output]
            uploads = s3.list_multipart_uploads(Bucket=bucket).get("Uploads", ())
            ends = any(
                "AbortIncompleteMultipartUpload" in rule for rule in self._lifecycle_rules(bucket)
            )
            found += [(output, str(item["Key"]), ends) for item in uploads]
        return found

    def expires_superseded(self) -> bool:
        """Return True if a lifecycle rule of the bucket expires tagged objects."""
        rules = self._lifecycle_rules(self._outputs["AccessMastersBucketName"])
        return any("superseded" in str(rule) and "ExpirationInDays" in rule for rule in rules)

    def keys(self, store: VersionedStore) -> list[ListedObject]:
        """Everything that lies in a bucket, deletions left out."""
        entries: list[ListedObject] = []
        after = ""
        while True:
            page = store.list_keys(after)
            entries += [entry for entry in page.entries if not entry.deleted]
            after = page.next
            if not after:
                return entries

    def _lifecycle_rules(self, bucket: str) -> list[Any]:
        """Return the rules of the template: the emulator's CloudFormation leaves them out."""
        formation = self.access.client("cloudformation")
        stack = f"vitrine-{STAGE}-store"
        body = formation.get_template(StackName=stack)["TemplateBody"]
        template = json.loads(body) if isinstance(body, str) else body
        resources = formation.describe_stack_resources(StackName=stack)["StackResources"]
        names = {item["PhysicalResourceId"]: item["LogicalResourceId"] for item in resources}
        declared = template["Resources"][names[bucket]]["Properties"]
        rules = declared.get("LifecycleConfiguration", {}).get("Rules", [])
        return [rule for rule in rules if rule["Status"] == "Enabled"]

    def _worked_queue_urls(self) -> list[str]:
        """Return the queues that Lambdas work on."""
        urls: list[str] = self.access.client("sqs").list_queues().get("QueueUrls", [])
        return [
            url for url in urls if not any(part in url.rpartition("/")[2] for part in self.kept)
        ]

    def _open_store(self, output: str) -> VersionedStore:
        return S3ObjectStore(self.access.client("s3"), self._outputs[output])

    def _open_queue(self, output: str) -> SqsQueue:
        return SqsQueue(self.access.client("sqs"), self._outputs[output])
