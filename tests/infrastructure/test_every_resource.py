"""What holds for every resource of a kind, also for the one that is added next."""

import json

FOURTEEN_DAYS = 1_209_600
UNVERSIONED = ("AccessLogs",)
"""Buckets of what nobody would bring back."""
LONG = (
    "Small",
    "Large",
    "Reconcile",
    "UpdateCollections",
    "WriteDumps",
    "UpdateSearch",
    "CountVisits",
)
"""Functions that need all the time that Lambda gives; the others at least a minute."""
BELOW = {"ReconcilerAbsentAlarm", "UpdaterAbsentAlarm", "DumperAbsentAlarm", "ServiceTooFewTasks"}
"""Alarms that ring when something is missing."""
BRIEF = {
    "ServiceBalancerErrors": (5, 1),
    "ServiceUnhealthyTasks": (0, 5),
    "ServiceStoreFails": (0, 3),
    "ServiceDamagedReads": (0, 3),
    "ServiceRendersRefused": (20, 3),
    "ServiceCeilingReached": (0, 1),
    "ServiceCacheUnwritable": (0, 3),
    "ServiceIdentifiersLost": (0, 1),
    "ServiceIdentifiersSilent": (0, 3),
    "ServiceTableThrottled": (0, 3),
    "ServiceOldestUpload": (3600, 1),
    "UnreadNotifications": (10_800, 1),
    "SearchesSlow": (5000, 3),
    "AvailabilityFast": (1.44, 1),
    "AvailabilitySlow": (0.6, 1),
    "TilesFast": (72, 1),
    "TilesSlow": (30, 1),
}
"""Threshold and number of periods, by the beginning of the name: 14.4 and 6 times what uses up the
month's allowance of errors (SRE Workbook, "Alerting on SLOs"); the rest as the run books say."""


def test_every_queue_is_encrypted_and_keeps_messages_for_fourteen_days(templates):
    for queue in templates.of("AWS::SQS::Queue"):
        assert queue.properties["SqsManagedSseEnabled"] is True, queue.id
        assert queue.properties["MessageRetentionPeriod"] == FOURTEEN_DAYS, queue.id


def test_every_message_that_was_taken_is_hidden_for_longer_than_a_look_takes(templates):
    for queue in templates.of("AWS::SQS::Queue"):
        assert queue.properties["VisibilityTimeout"] >= 30, queue.id


def test_no_topic_is_under_a_key_with_which_alarms_cannot_publish(templates):
    """Such as that which SNS has of AWS; without one, SNS's own disks encrypt what waits."""
    assert not [one.id for one in templates.resources if one.kind == "AWS::KMS::Key"]
    for topic in templates.of("AWS::SNS::Topic"):
        assert "KmsMasterKeyId" not in topic.properties, topic.id


def test_every_bucket_keeps_versions_but_that_of_logs(templates):
    for bucket in templates.of("AWS::S3::Bucket"):
        status = bucket.properties.get("VersioningConfiguration", {}).get("Status")
        assert (status == "Enabled") != bucket.id.startswith(UNVERSIONED), bucket.id


def test_every_statement_of_a_bucket_is_about_one_account_or_has_a_condition(templates):
    for bucket, statements in templates.bucket_policies():
        for statement in statements:
            principal = statement["Principal"]
            named = isinstance(principal, dict) and principal.get("AWS", "*") != "*"
            assert named or statement.get("Condition"), f"{bucket}: {json.dumps(statement)[:200]}"


def test_every_rule_is_on_and_what_it_cannot_deliver_is_tried_again_and_kept(templates):
    for rule in templates.of("AWS::Events::Rule"):
        assert rule.properties.get("State", "ENABLED") == "ENABLED", rule.id
        for target in rule.properties["Targets"]:
            # What runs by the clock comes again by itself; an event does not.
            retries = target["RetryPolicy"]
            by_clock = "ScheduleExpression" in rule.properties
            assert by_clock or retries.get("MaximumRetryAttempts", 185) > 0, rule.id
            assert retries["MaximumEventAgeInSeconds"] >= (300 if by_clock else 900), rule.id
            assert target["DeadLetterConfig"], rule.id


def test_no_subnet_gives_its_machines_public_addresses(templates):
    for subnet in templates.of("AWS::EC2::Subnet"):
        assert not subnet.properties.get("MapPublicIpOnLaunch"), subnet.id


def test_every_function_has_the_time_and_memory_to_start_and_be_throttled(templates):
    for function in templates.of("AWS::Lambda::Function"):
        least = 900 if any(name in function.id for name in LONG) else 60
        assert function.properties["Timeout"] >= least, function.id
        assert function.properties["MemorySize"] >= 512, function.id


def test_every_alarm_rings_on_the_side_and_after_the_time_that_it_promises(templates):
    for alarm in templates.of("AWS::CloudWatch::Alarm"):
        name, properties = alarm.id[:-8], alarm.properties
        side = "LessThan" if name in BELOW else "GreaterThan"
        assert properties["ComparisonOperator"].startswith(side), name
        assert properties["TreatMissingData"] == ("breaching" if name in BELOW else "notBreaching")
        if name in BELOW or name == "ServiceAtMaximum":
            continue  # sizes of the environment, which promises of their own compare
        known = next((value for start, value in BRIEF.items() if name.startswith(start)), (0, 1))
        assert (properties["Threshold"], properties["EvaluationPeriods"]) == known, name


def test_no_task_is_at_its_maximum_for_a_quarter_of_an_hour_unnoticed(templates):
    (alarm,) = [
        item for item in templates.of("AWS::CloudWatch::Alarm") if "ServiceAtMaximum" in item.id
    ]
    most = templates.one("AWS::ApplicationAutoScaling::ScalableTarget").properties["MaxCapacity"]
    assert alarm.properties["Threshold"] <= max(1, most - 1)
    assert alarm.properties["EvaluationPeriods"] == 15


def test_tasks_are_added_while_there_is_room_for_a_burst(templates):
    for policy in templates.of("AWS::ApplicationAutoScaling::ScalingPolicy"):
        tracking = policy.properties["TargetTrackingScalingPolicyConfiguration"]
        assert tracking["TargetValue"] <= 70, policy.id
        assert tracking["ScaleOutCooldown"] <= 60, policy.id
