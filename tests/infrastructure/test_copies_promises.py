"""What an environment promises that keeps copies in a second region, or backups."""

import json
from dataclasses import replace

import pytest

from stacks.copies import Backup, Replica
from stacks.designs import PROD
from tests.infrastructure.templates import Templates, write_templates

REPLICA = Replica(region="eu-central-1", locked_days=365)
COPIED = replace(PROD, name="copied", replica=REPLICA, backup=Backup(days=35, masters=True))


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copied")
    write_templates(COPIED, folder)
    return Templates(COPIED, folder)


@pytest.mark.slow
def test_every_version_of_masters_and_records_goes_to_the_second_region(copied):
    for source, copy in (("Masters", "MastersReplica"), ("Records", "RecordsReplica")):
        (bucket,) = [
            item
            for item in copied.of("AWS::S3::Bucket")
            if item.stage == "store" and item.id.startswith(source)
        ]
        (rule,) = bucket.properties["ReplicationConfiguration"]["Rules"]
        assert rule["Status"] == rule["DeleteMarkerReplication"]["Status"] == "Enabled"
        assert rule["Filter"] == {"Prefix": ""}
        output = rule["Destination"]["Bucket"]["Fn::GetStackOutput"]
        assert output["Region"] == "eu-central-1"
        assert output["StackName"] == "vitrine-copied-replica"
        assert copy in output["OutputName"]
        assert copied.one("AWS::S3::Bucket", copy).stage == "replica"


def test_masters_are_copied_into_the_class_that_they_age_into(copied):
    (masters,) = [
        item
        for item in copied.of("AWS::S3::Bucket")
        if item.stage == "store" and item.id.startswith("Masters")
    ]
    (rule,) = masters.properties["ReplicationConfiguration"]["Rules"]
    (ages,) = [
        transition["StorageClass"]
        for item in masters.properties["LifecycleConfiguration"]["Rules"]
        for transition in item.get("Transitions", ())
    ]
    assert rule["Destination"]["StorageClass"] == ages == "GLACIER_IR"


@pytest.mark.parametrize("copy", ["MastersReplica", "RecordsReplica"])
def test_no_version_of_a_copy_can_be_deleted_before_its_time(copied, copy):
    bucket = copied.one("AWS::S3::Bucket", copy)
    assert bucket.properties["ObjectLockEnabled"] is True
    retention = bucket.properties["ObjectLockConfiguration"]["Rule"]["DefaultRetention"]
    assert retention == {"Days": 365, "Mode": "GOVERNANCE"}
    assert bucket.properties["VersioningConfiguration"] == {"Status": "Enabled"}


def test_copies_of_keys_and_secrets_that_were_replaced_go_as_soon_as_their_lock_lets_them(copied):
    bucket = copied.one("AWS::S3::Bucket", "RecordsReplica")
    rules = bucket.properties["LifecycleConfiguration"]["Rules"]
    assert [
        rule["NoncurrentVersionExpiration"] for rule in rules if rule.get("Prefix") == "access/"
    ] == [{"NoncurrentDays": 1}]


@pytest.mark.parametrize("copy", ["MastersReplica", "RecordsReplica"])
def test_copies_are_as_private_encrypted_and_kept_as_what_they_are_copies_of(copied, copy):
    bucket = copied.one("AWS::S3::Bucket", copy)
    assert (bucket.body["DeletionPolicy"], bucket.body["UpdateReplacePolicy"]) == (
        "RetainExceptOnCreate",
        "Retain",
    )
    assert list(bucket.properties["PublicAccessBlockConfiguration"].values()) == [True] * 4
    assert bucket.properties["BucketEncryption"]
    (policy,) = [
        item.properties["PolicyDocument"]["Statement"]
        for item in copied.of("AWS::S3::BucketPolicy")
        if item.properties["Bucket"] == {"Ref": bucket.id}
    ]
    assert policy[0]["Effect"] == "Deny"
    assert policy[0]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_what_replicates_reads_its_own_bucket_and_writes_its_own_copy_only(copied):
    found = {}
    for policy in copied.of("AWS::IAM::Policy"):
        if "ReplicationRole" not in policy.id:
            continue
        for statement in policy.properties["PolicyDocument"]["Statement"]:
            for action in statement["Action"]:
                found.setdefault(action, []).append(json.dumps(statement["Resource"]))
    assert set(found) == {
        *("s3:GetReplicationConfiguration", "s3:ListBucket", "s3:GetObjectVersionAcl"),
        *("s3:GetObjectVersionForReplication", "s3:GetObjectVersionTagging"),
        *("s3:ObjectOwnerOverrideToBucketOwner", "s3:ReplicateDelete", "s3:ReplicateObject"),
        "s3:ReplicateTags",
    }
    assert all("Replica" in where for where in found["s3:ReplicateObject"])
    assert not any("Replica" in where for where in found["s3:GetObjectVersionForReplication"])


def test_the_vault_lets_nobody_delete_a_backup_before_its_time(copied):
    vault = copied.one("AWS::Backup::BackupVault")
    assert vault.properties["LockConfiguration"] == {"MinRetentionDays": 35}
    assert vault.body["DeletionPolicy"] == "RetainExceptOnCreate"
    (rule,) = copied.one("AWS::Backup::BackupPlan").properties["BackupPlan"]["BackupPlanRule"]
    assert rule["Lifecycle"] == {"DeleteAfterDays": 35}
    assert rule["ScheduleExpression"] == "cron(0 3 * * ? *)"


def test_table_records_and_masters_are_backed_up_and_nothing_that_can_be_made_again(copied):
    selection = copied.one("AWS::Backup::BackupSelection").properties["BackupSelection"]
    resources = json.dumps(selection["Resources"])
    assert len(selection["Resources"]) == 3
    assert all(
        name in resources for name in ("GetAttIdentifiers", "GetAttRecords", "GetAttMasters")
    )


def test_only_what_makes_backups_has_managed_policies_and_they_are_aws_own_for_it(copied):
    managed = {
        item.id: json.dumps(item.properties["ManagedPolicyArns"])
        for item in copied.of("AWS::IAM::Role")
        if "ManagedPolicyArns" in item.properties
    }
    ((role, arns),) = managed.items()
    assert copied.one("AWS::IAM::Role", "Role").stage == "backup"
    assert role.startswith("Role")
    assert arns.count("AWSBackupServiceRolePolicyFor") == 2


def test_an_environment_without_copies_has_neither(templates):
    kinds = {item.kind for item in templates.resources}
    assert not any(kind.startswith("AWS::Backup::") for kind in kinds)
    assert "replica" not in templates.stages
    assert "backup" not in templates.stages


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"replica": Replica(region="eu-west-1")}, "another region than eu-west-1"),
        ({"replica": Replica(region="eu-west-3", locked_days=-1)}, "a number of days"),
        ({"backup": Backup(days=0)}, "at least 1"),
    ],
)
def test_copies_that_cannot_be_are_a_sentence(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(PROD, **change)
