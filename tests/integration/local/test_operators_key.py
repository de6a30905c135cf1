"""All stacks are deployed with a key of the operator's, and a master is published under it."""

import json
from pathlib import Path

from tests.integration.local.emulators import Emulated
from tests.integration.local.machines import draw
from tests.integration.local.own_assembly import synthesize
from tests.patience import until
from vitrine.account.key_policy import required_statements
from vitrine.adapters.aws.outcome_table import DynamoOutcomeTable
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.local import emulator
from vitrine.local.deploy import deploy
from vitrine.local.up import REGION


def test_a_master_is_published_where_all_is_under_a_key(patched: Emulated, tmp_path: Path) -> None:
    cloud, file = patched.cloud, tmp_path / "environments.toml"
    statements = required_statements(emulator.ACCOUNT, REGION)
    policy = json.dumps({"Version": "2012-10-17", "Statement": statements})
    key = cloud.client("kms").create_key(Policy=policy)["KeyMetadata"]["Arn"]
    file.write_text(f'[dev]\nregion = "{REGION}"\nkey_arn = "{key}"\n')
    outputs = deploy(synthesize(tmp_path / "keyed", file), cloud, print)
    masters = outputs["vitrine-dev-store"]["MastersBucketName"]
    storage = cloud.client("s3")
    # The emulator keeps no key of a bucket's (test_key_promises.py has the templates').
    queue = outputs["vitrine-dev-ingest"]["StartIngestQueueUrl"]
    found = cloud.client("sqs").get_queue_attributes(
        QueueUrl=queue, AttributeNames=["KmsMasterKeyId"]
    )
    assert found["Attributes"]["KmsMasterKeyId"] == key
    draw(tmp_path / "keyed.tif", 5)
    body = (tmp_path / "keyed.tif").read_bytes()
    storage.put_object(Bucket=masters, Key="keyed.tif", Body=body)
    names = stack_outputs(cloud.client("cloudformation"), "vitrine-dev-identify")
    outcomes = DynamoOutcomeTable(cloud.client("dynamodb"), names["OutcomesTableName"])

    def is_published() -> bool:
        outcome = outcomes.get("keyed.tif")
        return outcome is not None and outcome.state == "published"

    assert until(is_published)
