"""The search follows changes within minutes, by a function that reads the site alone."""

import json

SEARCHER = "UpdateSearchRole"


def test_a_changed_object_starts_it_within_minutes_and_many_changes_start_it_once(templates):
    source = templates.one("AWS::Lambda::EventSourceMapping", "UpdateSearch").properties
    assert source["MaximumBatchingWindowInSeconds"] == 120
    assert source["BatchSize"] == 1_000
    assert source["ScalingConfig"]["MaximumConcurrency"] == 2
    rule = templates.one("AWS::Events::Rule", "ObjectSearched").properties
    assert rule["EventPattern"]["detail-type"] == ["ObjectChanged"]
    assert "Searched" in json.dumps(rule["Targets"])


def test_it_writes_indexes_and_lists_and_neither_scripts_nor_manifests_nor_texts(templates):
    allowed = templates.allowed(SEARCHER)
    written = {
        resource["Fn::Join"][1][-1]
        for statement in allowed
        if "s3:PutObject" in statement.actions
        for resource in statement.resources
    }
    languages = ("", "/en", "/de", "/fr")
    assert written == {
        *(f"/{page}{language}" for page in ("search", "map") for language in languages),
        "/browse",
        *("/search/index/*", "/browse/*", "/inside/across/*", "/inside/search/*"),
        "/inside/omissions/*",
    }
    assert set().union(*(statement.stored for statement in allowed)) == {"Site"}


def test_somebody_hears_of_changes_that_could_not_be_searched(templates):
    alarm = templates.one("AWS::CloudWatch::Alarm", "SearchedDeadLettersAlarm").properties
    assert "update_search" in alarm["AlarmDescription"]


def test_a_run_that_was_cut_short_may_give_a_message_back_to_its_own_queue_alone(templates):
    source = templates.one("AWS::Lambda::EventSourceMapping", "UpdateSearch").properties
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    needed = {"sqs:ChangeMessageVisibility", "sqs:GetQueueUrl"}
    (statement,) = (one for one in templates.allowed(SEARCHER) if needed & set(one.actions))
    assert needed <= set(statement.actions)
    assert statement.resources == [source["EventSourceArn"]]
