"""Each run book of ingest is followed with its fault made real: its commands find and mend it.

docs/runbooks/README.md says what cannot be made real here. The metrics behind the alarms are in
tests/integration/deliver/test_runbooks.py.
"""

import json
import re
import time

from tests.integration.local.runbook_service import SECONDS, Here, until


def test_runbook_uploads_wait(here: Here) -> None:
    mappings = here.cloud.client("lambda")
    (starter,) = [
        item["UUID"]
        for item in mappings.list_event_source_mappings()["EventSourceMappings"]
        if "StartIngest" in item["FunctionArn"]
    ]
    mappings.update_event_source_mapping(UUID=starter, Enabled=False)
    here.upload("third", 3)
    with here.operator.following("uploads-wait") as page:
        page.says("Nothing runs")
        waits = page.left[0]
        until(lambda: "1 queued, 0 running" in here.operator.type(waits), "nothing waits", 3)
        assert page.type_next()
        printed = page.type_next(ID=starter)
    assert re.search(rf"{starter}\s+Disabled\s+\S*StartIngest", printed), printed
    until(lambda: here.image("third").status == 200, "the upload still waits")


def test_runbook_the_reconciler_does_not_run(here: Here) -> None:
    events = here.cloud.client("events")
    rules = {rule["Name"]: rule for rule in events.list_rules()["Rules"]}
    (schedule,) = [name for name in rules if "ReconcileSchedule" in name]
    patterns = {name: rule.get("EventPattern", "") for name, rule in rules.items()}
    uploads = [name for name, pattern in patterns.items() if "Object Created" in pattern]
    # What the reconciler is for: an event that never came, and nobody to notice.
    for name in (schedule, *uploads):
        events.disable_rule(Name=name)
    here.upload("fourth", 4)
    for name in uploads:
        events.enable_rule(Name=name)
    with here.operator.following("the-reconciler-does-not-run") as page:
        page.type_next()
        until(lambda: here.image("fourth").status == 200, "the lost upload is not found")
        printed = page.type_next()
        assert re.search(rf'"{schedule}",\s+"DISABLED"', printed), printed
        page.says("A disabled rule is enabled again by a deployment")
    events.enable_rule(Name=schedule)


def test_runbook_ingests_fail(here: Here) -> None:
    machines = here.cloud.client("stepfunctions")
    arn = here.outputs("ingest")["StateMachineArn"]
    key = here.upload("fifth", 5)

    def running() -> list[str]:
        found = machines.list_executions(stateMachineArn=arn, statusFilter="RUNNING")
        return [item["executionArn"] for item in found["executions"]]

    # As an operator's mistake, or AWS, ends an execution from outside.
    deadline = time.monotonic() + SECONDS
    while not (found := running()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    machines.stop_execution(executionArn=found[0])
    with here.operator.following("ingests-fail") as page:
        listing = page.left[0]
        printed = _until_listed(here, listing, key)
        page.type_next()
        page.type_next(MASTER=key, CODE="none-has-this-code")
    until(lambda: here.image("fifth").status == 200, printed)
    assert "There is no failure" in here.operator.type(listing)


def _until_listed(here: Here, listing: str, key: str) -> str:
    """Return the list of failures once the master is on it."""
    deadline = time.monotonic() + SECONDS
    while key not in (printed := here.operator.type(listing)):
        assert time.monotonic() < deadline, printed
        time.sleep(3)
    return printed


def test_runbook_messages_could_not_be_used(here: Here) -> None:
    # What a queue does with a message that its worker failed at as often as it may.
    sqs = here.cloud.client("sqs")
    dead = here.outputs("ingest")["StartIngestDeadLettersUrl"]
    key = here.upload("sixth", 6)
    until(lambda: here.image("sixth").status == 200, "not ingested")
    bucket = here.outputs("store")["MastersBucketName"]
    event = {
        "source": "aws.s3",
        "detail-type": "Object Created",
        "detail": {"bucket": {"name": bucket}, "object": {"key": key}},
    }
    sqs.send_message(QueueUrl=dead, MessageBody=json.dumps(event))
    with here.operator.following("messages-could-not-be-used") as page:
        listing = page.left[0]
        assert key in page.type_next()
        page.type_next()
        assert "There is no failure" in here.operator.type(listing)
        page.type_next()
