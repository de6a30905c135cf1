"""An image is withdrawn some time after its master, also if no event reported the deletion."""

import json

from stacks.designs import ENVIRONMENTS


def test_a_deletion_waits_for_its_grace_period_and_looks_again(templates):
    states = templates.states("WithdrawalMachine")
    grace = states["GracePeriod"]
    assert grace["Type"] == "Wait"
    assert grace["SecondsPath"] == "$.grace_seconds"
    assert grace["Next"] == "WithdrawImage"
    (kept,) = states["WithdrawImage"]["Catch"]
    assert (kept["ErrorEquals"], kept["Next"]) == (["SupersededMaster"], "Kept")
    assert states["Kept"]["Type"] == states["Withdrawn"]["Type"] == "Succeed"


def test_a_deletion_in_prod_can_be_undone_for_a_day(templates):
    for name in ("StartIngest", "Reconcile"):
        (function,) = [
            item
            for item in templates.of("AWS::Lambda::Function")
            if item.properties["Handler"].startswith(f"lambdas.{_folder(name)}.")
        ]
        variables = function.properties["Environment"]["Variables"]
        grace = templates.environment.ingest.withdrawal_grace_seconds
        assert variables["VITRINE_WITHDRAWAL_GRACE_SECONDS"] == str(grace)
    assert ENVIRONMENTS["prod"].ingest.withdrawal_grace_seconds == 86_400


def test_the_grace_period_ends_before_its_execution(templates):
    timeout = templates.definition("WithdrawalMachine")["TimeoutSeconds"]
    assert timeout >= templates.environment.ingest.withdrawal_grace_seconds + 86_400


def test_the_reconciler_runs_on_a_schedule(templates):
    rule = templates.one("AWS::Events::Rule", "ReconcileSchedule").properties
    hours = templates.environment.reconcile_hours
    unit = {1: "1 hour", 24: "1 day"}[hours]
    assert rule["ScheduleExpression"] == f"rate({unit})"
    (target,) = rule["Targets"]
    machine = templates.one("AWS::StepFunctions::StateMachine", "ReconcileMachine").id
    assert target["Arn"] == {"Ref": machine}
    assert target["Input"] == "{}"


def test_lost_executions_are_looked_for_every_few_minutes(templates):
    rule = templates.one("AWS::Events::Rule", "PatrolSchedule").properties
    assert rule["ScheduleExpression"] == "rate(5 minutes)"
    (target,) = rule["Targets"]
    assert target["Input"] == '{"patrol":true}'
    (function,) = [
        item
        for item in templates.of("AWS::Lambda::Function")
        if item.properties["Handler"].startswith("lambdas.reconcile.")
    ]
    assert target["Arn"] == {"Fn::GetAtt": [function.id, "Arn"]}
    role = function.properties["Role"]["Fn::GetAtt"][0]
    allowed = {
        action
        for policy in templates.of("AWS::IAM::Policy")
        if {"Ref": role} in policy.properties["Roles"]
        for statement in policy.properties["PolicyDocument"]["Statement"]
        for action in [statement["Action"]]
        if isinstance(action, str)
    }
    assert "states:DescribeExecution" in allowed


def test_s3_reports_every_upload_and_deletion_on_a_second_way(templates):
    """Apart from EventBridge, and late enough that what an event started has an outcome by then."""
    bucket = templates.one("AWS::S3::Bucket", "Masters")
    queue = templates.one("AWS::SQS::Queue", "Notifications")
    configured = bucket.properties["NotificationConfiguration"]
    assert configured["EventBridgeConfiguration"] == {"EventBridgeEnabled": True}
    arn = {"Fn::GetAtt": [queue.id, "Arn"]}
    assert configured["QueueConfigurations"] == [
        {"Event": "s3:ObjectCreated:*", "Queue": arn},
        {"Event": "s3:ObjectRemoved:*", "Queue": arn},
    ]
    assert 120 <= queue.properties["DelaySeconds"] <= 300
    # S3 sends a test message when the bucket is made: the queue has to allow it by then.
    stack = next(stage for stage in templates.stages.values() if bucket.id in stage["Resources"])
    policies = {
        name for name, item in stack["Resources"].items() if item["Type"] == "AWS::SQS::QueuePolicy"
    }
    assert policies & set(stack["Resources"][bucket.id]["DependsOn"])


def test_the_patrols_find_the_notifications(templates):
    (function,) = [
        item
        for item in templates.of("AWS::Lambda::Function")
        if item.properties["Handler"].startswith("lambdas.reconcile.")
    ]
    variables = function.properties["Environment"]["Variables"]
    assert "Notifications" in json.dumps(variables["VITRINE_NOTIFICATIONS_QUEUE_URL"])


def test_the_reconciler_continues_where_it_stopped_until_everything_is_compared(templates):
    states = templates.states("ReconcileMachine")
    assert states["Reconcile"]["Next"] == "Through"
    done, crowded = states["Through"]["Choices"]
    assert (done["Variable"], states[done["Next"]]["Type"]) == ("$.done", "Succeed")
    assert (crowded["Variable"], crowded["Next"]) == ("$.crowded", "Pause")
    assert states["Pause"]["Next"] == states["Through"]["Default"] == "Reconcile"


def test_the_reconciler_knows_when_an_ingest_can_no_longer_run(templates):
    (function,) = [
        item
        for item in templates.of("AWS::Lambda::Function")
        if item.properties["Handler"].startswith("lambdas.reconcile.")
    ]
    variables = function.properties["Environment"]["Variables"]
    longest = templates.definition("Machine")["TimeoutSeconds"]
    assert variables["VITRINE_EXECUTION_TIMEOUT_SECONDS"] == str(longest)


def _folder(name):
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")
