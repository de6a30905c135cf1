"""Collections of others are updated by the clock, by a function that reaches nothing else."""

import json

UPDATER = "UpdateCollectionsRole"
READING = ("BatchGetItem", "GetItem", "Query")


def test_a_schedule_starts_the_updater_and_may_do_nothing_else(templates):
    schedule = templates.one("AWS::Scheduler::Schedule", "UpdateSchedule").properties
    assert schedule["State"] == "ENABLED"
    assert "UpdateCollections" in json.dumps(schedule["Target"]["Arn"])
    # What is lost comes again: no start of a quarter of an hour ago runs while the next does.
    assert schedule["Target"]["RetryPolicy"]["MaximumRetryAttempts"] == 0
    statements = [item for item in templates.statements if "SchedulerRole" in item.role]
    assert all(item.actions == ["lambda:InvokeFunction"] for item in statements)
    started = [json.dumps(item.resources) for item in statements]
    assert len([one for one in started if "UpdateCollections" in one]) == 1


def test_the_updater_writes_its_folders_objects_and_nesting_and_no_image(templates):
    allowed = templates.allowed(UPDATER)
    written = {
        resource["Fn::Join"][1][-1]
        for statement in allowed
        if "s3:PutObject" in statement.actions
        for resource in statement.resources
    }
    pages = {"/presentation/*", "/inside/*", "/collections/*", "/embed/*", "/oembed/*"}
    nesting = {"/access/collections.json"}
    assert written == {"/harvests/*", "/objects/*"} | nesting | pages
    stored = set().union(*(statement.stored for statement in allowed))
    assert not stored & {"Masters", "AccessMasters", "Outcomes"}
    tables = {action for item in allowed for action in item.actions if "dynamodb" in action}
    assert tables == {f"dynamodb:{name}" for name in (*READING, "BatchWriteItem")}
    (catalogue,) = [item for item in allowed if "dynamodb:BatchWriteItem" in item.actions]
    assert catalogue.stored == {"Catalogue"}


def test_the_updater_is_in_no_network_of_ours(templates):
    updater = templates.one("AWS::Lambda::Function", "UpdateCollections").properties
    assert "VpcConfig" not in updater


def test_the_folder_that_an_update_replaced_expires(templates):
    records = templates.one("AWS::S3::Bucket", "Records").properties
    (rule,) = [
        rule
        for rule in records["LifecycleConfiguration"]["Rules"]
        if rule.get("Prefix") == "harvests/"
    ]
    assert rule["NoncurrentVersionExpiration"]["NoncurrentDays"] == 30
    assert "ExpirationInDays" not in rule


def test_somebody_hears_of_an_update_that_failed_or_did_not_begin(templates):
    said = {
        alarm.id[:-8]: alarm.properties["AlarmDescription"]
        for alarm in templates.of("AWS::CloudWatch::Alarm")
        if alarm.properties["AlarmDescription"].endswith("collections-are-not-updated.md")
    }
    assert set(said) == {"UpdatesFailedAlarm", "UpdaterErrorsAlarm", "UpdaterAbsentAlarm"}
