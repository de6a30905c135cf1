"""What an environment keeps is under the operator's key, if there is one, or named here."""

import json
from dataclasses import replace

import pytest

from stacks.copies import Replica
from stacks.environments import Environment
from tests.infrastructure.options import KINDS
from vitrine.account.needs import read_needs

KINDS_OF_DATA = (
    "AWS::S3::Bucket",
    "AWS::SQS::Queue",
    "AWS::DynamoDB::GlobalTable",
    "AWS::DynamoDB::Table",
    "AWS::SNS::Topic",
)
WITHOUT = {
    ("store", "AccessLogs"): "the balancer and S3 write their logs under S3's own keys alone",
    ("watch", "Alarms"): "alarms of CloudFront are in us-east-1, and the key is not",
}
"""Resources without the key, by stack and the beginning of their logical ids, and why."""


@pytest.fixture(scope="module")
def keyed(synthesize):
    return synthesize(KINDS["tasks"])


def _data(templates):
    return [item for item in templates.resources if item.kind in KINDS_OF_DATA]


def _key_of(environment, stage):
    return environment.replica.key_arn if stage == "replica" else environment.key_arn


def test_all_that_keeps_data_is_under_the_operators_key_or_named(keyed):
    assert {item.kind for item in _data(keyed)} == {*KINDS_OF_DATA}
    without = {
        (item.stage, item.id.rstrip("0123456789ABCDEF"))
        for item in _data(keyed)
        if _key_of(keyed.environment, item.stage) not in json.dumps(item.properties)
    }
    assert without == WITHOUT.keys()


def test_no_bucket_under_the_key_asks_kms_for_each_object(keyed):
    for item in keyed.of("AWS::S3::Bucket"):
        [rule] = item.properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        is_keyed = "KMSMasterKeyID" in rule["ServerSideEncryptionByDefault"]
        assert rule.get("BucketKeyEnabled", False) is is_keyed, item.id


def test_copies_of_what_is_under_a_key_are_made_and_have_the_key_of_their_region(keyed):
    for item in keyed.of("AWS::S3::Bucket"):
        for rule in item.properties.get("ReplicationConfiguration", {}).get("Rules", ()):
            chosen = rule["SourceSelectionCriteria"]["SseKmsEncryptedObjects"]
            assert chosen == {"Status": "Enabled"}
            encryption = rule["Destination"]["EncryptionConfiguration"]
            assert encryption["ReplicaKmsKeyID"] == keyed.environment.replica.key_arn


def test_who_mails_rejections_may_use_the_key_of_their_topic(keyed):
    of_key = [
        one
        for one in keyed.allowed("RejectionMailMachineRole")
        if any(action.startswith("kms:") for action in one.actions)
    ]
    assert [one.resources for one in of_key] == [[keyed.environment.key_arn]]


def test_the_check_of_the_account_finds_the_keys(keyed):
    environment = keyed.environment
    needs = read_needs(keyed.folder, environment.region)
    assert set(needs.keys) == {environment.key_arn, environment.replica.key_arn}


def test_without_a_key_nothing_names_one(templates):
    assert read_needs(templates.folder, templates.environment.region).keys == ()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"key_arn": "alias/museum"}, "must be the ARN of a KMS key in eu-west-1"),
        ({"key_arn": "arn:aws:kms:eu-west-2:123456789012:key/1"}, "a KMS key in eu-west-1"),
        ({"replica": Replica(region="eu-central-1")}, "key_arn and replica.key_arn go together"),
        ({"key_arn": None}, "key_arn and replica.key_arn go together"),
    ],
)
def test_a_key_that_cannot_be_used_is_rejected_with_a_sentence(change, sentence):
    environment: Environment = KINDS["tasks"]
    with pytest.raises(ValueError, match=sentence):
        replace(environment, **change)
