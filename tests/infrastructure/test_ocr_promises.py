"""Reading pages by OCR: only where an environment asks for it, and with rights to do just that."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from stacks.designs import ENVIRONMENTS, fit_new_account
from vitrine.settings.present import OcrOptions
from vitrine.store.layout import text_key
from vitrine.text.ocr_results.stored import CLAIMED, ocr_name

DEV, PROD = ENVIRONMENTS["dev"], ENVIRONMENTS["prod"]
ROLE = "ReadPagesRole"


@pytest.fixture(scope="module")
def reading(synthesize):
    options = OcrOptions(languages="deu+frk", memory_mebibytes=2_048, at_once=7)
    return synthesize(replace(DEV, ocr=options))


def test_without_it_there_is_no_resource_for_it_and_publishers_know(templates):
    assert not [item for item in templates.of("AWS::Lambda::Function") if "ReadPages" in item.id]
    assert not [item for item in templates.of("AWS::SQS::Queue") if "Unread" in item.id]
    assert not [item for item in templates.of("AWS::Events::Rule") if "Texts" in item.id]
    publisher = templates.one("AWS::Lambda::Function", "PublishObjects").properties
    assert publisher["Environment"]["Variables"]["VITRINE_OCR_LANGUAGES"] == ""


@pytest.mark.slow
def test_publishers_know_the_languages(reading):
    for name in ("PublishObjects", "UpdateCollections"):
        function = reading.one("AWS::Lambda::Function", name).properties
        assert function["Environment"]["Variables"]["VITRINE_OCR_LANGUAGES"] == "deu+frk"


def test_the_function_is_a_container_of_the_chosen_size_and_number(reading):
    function = reading.one("AWS::Lambda::Function", "ReadPages").properties
    assert function["PackageType"] == "Image"
    assert function["ImageConfig"]["Command"] == ["python3", "-m", "lambdas.read_pages.runtime"]
    assert (function["MemorySize"], function["Timeout"]) == (2_048, 900)
    assert function["EphemeralStorage"]["Size"] >= 2_048
    assert function["Environment"]["Variables"]["VITRINE_MEMORY_MEBIBYTES"] == "2048"
    source = reading.one("AWS::Lambda::EventSourceMapping", "ReadPages").properties
    assert source["BatchSize"] == 1
    assert source["ScalingConfig"]["MaximumConcurrency"] == 7
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_it_hears_of_objects_with_unread_pages_and_publishers_of_what_it_read(reading):
    requested = reading.one("AWS::Events::Rule", "TextsRequested").properties
    assert requested["EventPattern"] == {"source": ["vitrine"], "detail-type": ["TextsRequested"]}
    assert "Unread" in json.dumps(requested["Targets"])
    done = reading.one("AWS::Events::Rule", "TextsRead").properties
    assert done["EventPattern"]["detail-type"] == ["TextsRead"]
    assert "Shown" in json.dumps(done["Targets"])


def test_it_writes_its_own_texts_alone_and_reads_no_master(reading):
    allowed = reading.allowed(ROLE)
    written = [
        resource["Fn::Join"][1][-1]
        for statement in allowed
        if "s3:PutObject" in statement.actions
        for resource in statement.resources
    ]
    # Neither a text that a record names, whose name is 32 hex digits, nor an annotation.
    assert written == ["/texts/oc/ocr*", "/texts/read/*"]
    assert text_key(ocr_name("v1", "eng")).startswith("texts/oc/ocr")
    actions = {action for statement in allowed for action in statement.actions}
    assert not {"s3:DeleteObject", "dynamodb:PutItem", "sqs:SendMessage"} & actions
    assert set().union(*(statement.stored for statement in allowed)) == {
        "AccessMasters",
        "Identifiers",
    }


def test_what_it_cannot_do_is_tried_some_times_and_then_somebody_hears_of_it(reading):
    queue = reading.one("AWS::SQS::Queue", "UnreadQueue").properties
    assert queue["RedrivePolicy"]["maxReceiveCount"] == 12
    # When the message of a Lambda that died comes back, its claim is over, and not much more.
    assert CLAIMED + timedelta(minutes=1) <= timedelta(seconds=queue["VisibilityTimeout"])
    assert queue["VisibilityTimeout"] <= 20 * 60
    alarm = reading.one("AWS::CloudWatch::Alarm", "UnreadDeadLettersAlarm").properties
    assert "read_pages" in alarm["AlarmDescription"]
    assert "docs/runbooks/messages-could-not-be-used.md" in alarm["AlarmDescription"]


def test_somebody_hears_if_no_page_can_be_read(reading):
    alarm = reading.one("AWS::CloudWatch::Alarm", "PagesUnreadableAlarm").properties
    assert (alarm["Threshold"], alarm["EvaluationPeriods"]) == (0, 1)
    (total,) = [one for one in alarm["Metrics"] if "Expression" in one]
    assert total["Expression"] == (
        "IF(FILL(read, 0) + FILL(empty, 0) > 0, 0, IF(FILL(failed, 0) >= 5, FILL(failed, 0), 0))"
    )
    looked_at = {
        one["Id"]: one["MetricStat"]["Metric"] for one in alarm["Metrics"] if "MetricStat" in one
    }
    # By the names under which the step counts what `read_object` returns.
    assert {id_: one["MetricName"] for id_, one in looked_at.items()} == {
        "read": "PagesRead",
        "empty": "PagesEmpty",
        "failed": "PagesFailed",
    }
    for metric in looked_at.values():
        assert metric["Dimensions"] == [{"Name": "service", "Value": "read_pages"}]
    assert "docs/runbooks/pages-cannot-be-read.md" in alarm["AlarmDescription"]


def test_somebody_hears_if_objects_wait_and_none_is_read_but_not_of_a_long_queue(reading):
    alarm = reading.one("AWS::CloudWatch::Alarm", "PagesWaitAlarm").properties
    assert (alarm["Threshold"], alarm["EvaluationPeriods"]) == (0, 1)
    (oldest,) = [one for one in alarm["Metrics"] if "Expression" in one]
    days, hours = 10 * 86_400, 4 * 3_600
    assert oldest["Expression"] == (
        f"IF(age > {days} OR (age > {hours} AND FILL(done, 0) == 0), age, 0)"
    )
    queue = reading.one("AWS::SQS::Queue", "UnreadQueue").properties
    # What was tried in vain is a dead letter before; and nothing was dropped before it rings.
    assert queue["RedrivePolicy"]["maxReceiveCount"] * queue["VisibilityTimeout"] < hours
    assert days < queue["MessageRetentionPeriod"]
    looked_at = {
        one["Id"]: (one["MetricStat"]["Metric"]["MetricName"], one["MetricStat"]["Stat"])
        for one in alarm["Metrics"]
        if "MetricStat" in one
    }
    assert looked_at == {
        "age": ("ApproximateAgeOfOldestMessage", "Maximum"),
        "done": ("NumberOfMessagesDeleted", "Sum"),
    }
    assert "docs/runbooks/pages-wait.md" in alarm["AlarmDescription"]


@pytest.mark.parametrize("environment", [DEV, PROD])
def test_reading_leaves_half_of_the_lambdas_to_others(environment):
    with pytest.raises(ValueError, match=r"ocr\.at_once: 900 at once are more than half"):
        replace(environment, ocr=OcrOptions(at_once=900))
    assert replace(environment, ocr=OcrOptions()).ocr
    new = fit_new_account(environment)
    assert replace(new, ocr=OcrOptions()).ocr
    with pytest.raises(ValueError, match="more than half of the 10 that are not reserved"):
        replace(new, ocr=OcrOptions(at_once=6))


@pytest.mark.parametrize("languages", ["de", "deu frk", "", "deu,frk"])
def test_languages_that_tesseract_cannot_have_are_refused(languages):
    with pytest.raises(ValueError, match=r"ocr\.languages: .* is no list of languages"):
        replace(DEV, ocr=OcrOptions(languages=languages))
