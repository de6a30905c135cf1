"""Nothing that a curator gave us is ever lost, and nobody else reads it."""

import json

from vitrine.store.layout import ACCESS, ACCESS_SECRET, TICKET_KEYS

KEPT = "RetainExceptOnCreate"
"""A deployment that fails while it creates a resource takes it away; nothing else does."""
ARCHIVES = {"GLACIER", "GLACIER_IR", "DEEP_ARCHIVE"}


def _rules(bucket):
    return bucket.properties["LifecycleConfiguration"]["Rules"]


def test_masters_survive_their_stack_and_their_overwriting(templates):
    masters = templates.one("AWS::S3::Bucket", "Masters")
    assert masters.body["DeletionPolicy"] == KEPT
    assert masters.body["UpdateReplacePolicy"] == "Retain"
    assert masters.properties["VersioningConfiguration"] == {"Status": "Enabled"}


def test_every_bucket_survives_its_stack(templates):
    for bucket in templates.of("AWS::S3::Bucket"):
        assert bucket.body["DeletionPolicy"] == KEPT, bucket.id


def test_no_bucket_is_public_or_unencrypted(templates):
    for bucket in templates.of("AWS::S3::Bucket"):
        blocked = bucket.properties["PublicAccessBlockConfiguration"]
        assert len(blocked) == 4, bucket.id
        assert all(value is True for value in blocked.values()), bucket.id
        assert bucket.properties["BucketEncryption"], bucket.id
        (ownership,) = bucket.properties["OwnershipControls"]["Rules"]
        assert ownership == {"ObjectOwnership": "BucketOwnerEnforced"}, bucket.id


def test_every_bucket_refuses_plain_http(templates):
    refusing = {
        bucket
        for bucket, statements in templates.bucket_policies()
        for item in statements
        if item["Effect"] == "Deny"
        and item["Action"] == "s3:*"
        and item["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    }
    assert refusing == {bucket.id for bucket in templates.of("AWS::S3::Bucket")}


def test_masters_never_expire(templates):
    rules = _rules(templates.one("AWS::S3::Bucket", "Masters"))
    assert not any(
        "Expiration" in key and "Noncurrent" not in key for rule in rules for key in rule
    )


def test_replaced_masters_are_kept_for_ninety_days(templates):
    rules = _rules(templates.one("AWS::S3::Bucket", "Masters"))
    (days,) = [
        rule["NoncurrentVersionExpiration"]["NoncurrentDays"]
        for rule in rules
        if "NoncurrentVersionExpiration" in rule
    ]
    assert days >= 90


def test_abandoned_uploads_go_after_a_week(templates):
    for bucket in templates.of("AWS::S3::Bucket"):
        days = [
            rule["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"]
            for rule in _rules(bucket)
            if "AbortIncompleteMultipartUpload" in rule
        ]
        assert days == [7], bucket.id


def test_only_masters_move_to_an_archive_class_and_only_to_one_that_reads_at_once(templates):
    classes = {
        bucket.id: {
            transition["StorageClass"]
            for rule in _rules(bucket)
            for transition in rule.get("Transitions", ())
        }
        for bucket in templates.of("AWS::S3::Bucket")
    }
    archived = {name: used & ARCHIVES for name, used in classes.items() if used & ARCHIVES}
    assert [*archived.values()] == [{"GLACIER_IR"}]
    assert next(iter(archived)).startswith("Masters")


def test_superseded_access_masters_expire_and_no_others(templates):
    bucket = templates.one("AWS::S3::Bucket", "AccessMasters")
    expiring = [rule for rule in _rules(bucket) if "ExpirationInDays" in rule]
    assert [rule["TagFilters"] for rule in expiring] == [[{"Key": "superseded", "Value": "true"}]]


def test_only_what_is_needed_for_a_while_expires_among_the_records(templates):
    """Requests to convert giants, answers to idempotent requests, thumbnails of photographs."""
    records = templates.one("AWS::S3::Bucket", "Records")
    expiring = [rule for rule in _rules(records) if "ExpirationInDays" in rule]
    prefixes = [rule["Prefix"] for rule in expiring]
    assert prefixes == ["conversions/", "requests/", "photo-thumbnails/"]
    replaced = [rule for rule in _rules(records) if "NoncurrentVersionExpiration" in rule]
    expected = {"access/", "harvests/", "places/", "texts/read/", *prefixes}
    assert {rule.get("Prefix") for rule in replaced} == expected


def test_keys_and_secrets_that_were_replaced_can_soon_be_read_by_nobody(templates):
    records = templates.one("AWS::S3::Bucket", "Records")
    assert all(key.startswith(ACCESS) for key in (ACCESS_SECRET, TICKET_KEYS))
    (rule,) = [rule for rule in _rules(records) if rule.get("Prefix") == ACCESS]
    assert rule["Status"] == "Enabled"
    assert rule["NoncurrentVersionExpiration"] == {"NoncurrentDays": 1}
    assert "ExpirationInDays" not in rule


def test_tables_can_be_restored_to_any_second(templates):
    for table in templates.of("AWS::DynamoDB::GlobalTable"):
        for replica in table.properties["Replicas"]:
            recovery = replica["PointInTimeRecoverySpecification"]
            assert recovery["PointInTimeRecoveryEnabled"] is True, table.id


def test_tables_of_prod_survive_their_stack(prod):
    for table in prod.of("AWS::DynamoDB::GlobalTable"):
        assert table.body["DeletionPolicy"] == KEPT, table.id
        for replica in table.properties["Replicas"]:
            assert replica["DeletionProtectionEnabled"] is True, table.id


def test_the_tables_have_their_final_keys(templates):
    keys = {
        table.id.rstrip("0123456789ABCDEF"): [
            [key["AttributeName"] for key in schema]
            for schema in (
                table.properties["KeySchema"],
                *(
                    index["KeySchema"]
                    for index in table.properties.get("GlobalSecondaryIndexes", ())
                ),
            )
        ]
        for table in templates.of("AWS::DynamoDB::GlobalTable")
    }
    assert keys == {
        "Identifiers": [["identifier"], ["listing", "changed_at"], ["target", "identifier"]],
        "Outcomes": [["master_key"], ["listing", "changed_at"]],
        "Catalogue": [["subject", "record"]],
    }


def test_nothing_empties_a_bucket_and_no_custom_resource_hides_a_function(templates):
    kinds = {resource.kind for resource in templates.resources}
    assert not {kind for kind in kinds if kind.startswith("Custom::") or "CustomResource" in kind}
    assert "AutoDelete" not in json.dumps(templates.stages)


def test_masters_send_their_events_to_eventbridge(templates):
    masters = templates.one("AWS::S3::Bucket", "Masters")
    configured = masters.properties["NotificationConfiguration"]
    assert configured["EventBridgeConfiguration"] == {"EventBridgeEnabled": True}
