"""Visits are counted once a day, by a function that reads the edge's log and writes figures."""

import json

COUNTER = "CountVisitsRole"


def test_a_schedule_starts_the_counter_every_day(templates):
    schedule = templates.one("AWS::Scheduler::Schedule", "VisitsSchedule").properties
    assert schedule["State"] == "ENABLED"
    assert schedule["ScheduleExpression"] == "rate(1 day)"
    assert "CountVisits" in json.dumps(schedule["Target"]["Arn"])
    assert schedule["Target"]["RetryPolicy"]["MaximumRetryAttempts"] == 0


def test_the_counter_reads_the_log_of_this_distribution_alone(templates):
    account = templates.environment.account
    variables = templates.one("AWS::Lambda::Function", "CountVisits").properties["Environment"]
    prefix = json.dumps(variables["Variables"]["VITRINE_LOGS_PREFIX"])
    assert f"AWSLogs/{account}/CloudFront/" in prefix
    assert "Distribution" in prefix
    read = [
        json.dumps(resource)
        for statement in templates.allowed(COUNTER)
        if "s3:GetObject" in statement.actions
        for resource in statement.resources
    ]
    (logs,) = [one for one in read if "AccessLogs" in one]
    assert f"/AWSLogs/{account}/CloudFront/" in logs
    assert "Distribution" in logs
    (records,) = [one for one in read if "Records" in one]
    assert "/statistics/*" in records
    assert len(read) == 2


def test_the_counter_writes_the_days_figures_and_nothing_else(templates):
    written = {
        json.dumps(resource): action
        for statement in templates.allowed(COUNTER)
        for action in statement.actions
        if action.startswith(("s3:Put", "s3:Delete", "s3:Abort", "dynamodb:"))
        for resource in statement.resources
    }
    tables = [action for resource, action in written.items() if "Catalogue" in resource]
    assert tables == ["dynamodb:Query"]
    (records,) = [resource for resource in written if "Catalogue" not in resource]
    assert "Records" in records
    assert "/statistics/*" in records
    services = {
        action.partition(":")[0]
        for statement in templates.allowed(COUNTER)
        for action in statement.actions
    }
    assert services == {"logs", "s3", "dynamodb", "xray"}


def test_nobody_else_reads_the_edge_s_log(templates):
    readers = {
        statement.role
        for statement in templates.statements
        if "AccessLogs" in json.dumps(statement.resources)
        and any(action.startswith("s3:Get") for action in statement.actions)
    }
    assert len(readers) == 1
    assert readers.pop().startswith(COUNTER)
