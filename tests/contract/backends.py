"""Empty adapters of one kind: in memory, or of the emulator."""

import itertools
import json
from dataclasses import dataclass
from typing import Any

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.catalogue_table import RECORD, SUBJECT, DynamoCatalogueTable
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.message_queue import SqsQueue
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.outcome_table import DynamoOutcomeTable
from vitrine.adapters.aws.pipeline import StepFunctionsPipeline
from vitrine.adapters.aws.use_counter import DynamoUseCounter
from vitrine.adapters.memory.catalogue_table import MemoryCatalogueTable
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryPipeline, MemoryQueue
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.adapters.memory.outcome_table import MemoryOutcomeTable
from vitrine.adapters.memory.use_counter import MemoryUseCounter
from vitrine.ports import (
    CatalogueTable,
    IdentifierTable,
    MessageQueue,
    ObjectStore,
    OutcomeTable,
    Pipeline,
    UseCounter,
)

WAIT = {"Type": "Wait", "Seconds": 3_600, "End": True}
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Backend:
    """Makes empty adapters of one kind."""

    cloud: AwsAccess | None

    def store(self) -> ObjectStore:
        if self.cloud is None:
            return MemoryObjectStore()
        client = self.cloud.client("s3")
        name = f"bucket-{next(_numbers)}"
        client.create_bucket(Bucket=name)
        client.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        return S3ObjectStore(client, name)

    def delete(self, store: ObjectStore, key: str) -> None:
        """Delete an object, as a curator does."""
        if isinstance(store, S3ObjectStore):
            store._client.delete_object(Bucket=store._bucket, Key=key)
        else:
            assert isinstance(store, MemoryObjectStore)
            store.delete(key)

    def unfinished_uploads(self, store: ObjectStore) -> list[Any]:
        """Return the uploads whose parts take space without being an object."""
        if not isinstance(store, S3ObjectStore):
            return []
        listing = store._client.list_multipart_uploads(Bucket=store._bucket)
        return list(listing.get("Uploads", []))

    def identifiers(self) -> IdentifierTable:
        if self.cloud is None:
            return MemoryIdentifierTable()
        client = self.cloud.client("dynamodb")
        name = f"identifiers-{next(_numbers)}"
        _table(
            client,
            name,
            "identifier",
            {"by-listing": ("listing", "changed_at"), "by-target": ("target", "identifier")},
        )
        return DynamoIdentifierTable(client, name)

    def outcomes(self) -> OutcomeTable:
        if self.cloud is None:
            return MemoryOutcomeTable()
        client = self.cloud.client("dynamodb")
        name = f"outcomes-{next(_numbers)}"
        _table(client, name, "master_key", {"by-state": ("listing", "changed_at")})
        return DynamoOutcomeTable(client, name)

    def catalogue(self) -> CatalogueTable:
        if self.cloud is None:
            return MemoryCatalogueTable()
        client = self.cloud.client("dynamodb")
        name = f"catalogue-{next(_numbers)}"
        client.create_table(
            TableName=name,
            KeySchema=[
                {"AttributeName": SUBJECT, "KeyType": "HASH"},
                {"AttributeName": RECORD, "KeyType": "RANGE"},
            ],
            AttributeDefinitions=[
                {"AttributeName": key, "AttributeType": "S"} for key in (SUBJECT, RECORD)
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        return DynamoCatalogueTable(client, name)

    def uses(self) -> UseCounter:
        if self.cloud is None:
            return MemoryUseCounter()
        client = self.cloud.client("dynamodb")
        name = f"uses-{next(_numbers)}"
        client.create_table(
            TableName=name,
            KeySchema=[{"AttributeName": "name", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "name", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        return DynamoUseCounter(client, name)

    def queue(self) -> MessageQueue:
        if self.cloud is None:
            return MemoryQueue()
        client = self.cloud.client("sqs")
        url = client.create_queue(QueueName=f"queue-{next(_numbers)}")["QueueUrl"]
        return SqsQueue(client, url)

    def pipeline(self) -> Pipeline:
        if self.cloud is None:
            return MemoryPipeline()
        client, name = self.cloud.client("stepfunctions"), f"machine-{next(_numbers)}"
        role = self.cloud.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument="{}")
        machine = client.create_state_machine(
            name=name,
            definition=json.dumps({"StartAt": "Wait", "States": {"Wait": WAIT}}),
            roleArn=role["Role"]["Arn"],
        )
        return StepFunctionsPipeline(client, machine["stateMachineArn"])


def _table(client: Any, name: str, key: str, indexes: dict[str, tuple[str, str]]) -> None:
    """Key schema and indexes as in `stacks/identify.py`."""
    attributes = {key, *(attribute for keys in indexes.values() for attribute in keys)}
    client.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": key, "KeyType": "HASH"}],
        AttributeDefinitions=[
            {"AttributeName": attribute, "AttributeType": "S"} for attribute in attributes
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": index,
                "KeySchema": [
                    {"AttributeName": partition, "KeyType": "HASH"},
                    {"AttributeName": sort, "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
            for index, (partition, sort) in indexes.items()
        ],
        BillingMode="PAY_PER_REQUEST",
    )
