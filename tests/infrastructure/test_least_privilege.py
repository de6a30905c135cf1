"""Each role may do what its code does, and nothing else."""

import json
import re

WILDCARD_RESOURCES = {
    "xray:PutTraceSegments",
    "xray:PutTelemetryRecords",
    "xray:GetSamplingRules",
    "xray:GetSamplingTargets",
    "ecr:GetAuthorizationToken",
    "logs:CreateLogDelivery",
    "logs:GetLogDelivery",
    "logs:UpdateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:DescribeResourcePolicies",
    "logs:DescribeLogGroups",
}
"""Actions for which AWS has no narrower resource."""


def _actions(statements, bucket_or_table):
    return {
        action
        for statement in statements
        if bucket_or_table in statement.stored
        for action in statement.actions
    }


def _allowed_to(templates, action, bucket_or_table):
    """Return the steps whose role has the action."""
    return {
        item.role.partition("Role")[0]
        for item in templates.statements
        if bucket_or_table in item.stored and action in item.actions
    }


def test_no_action_is_a_wildcard(templates):
    for statement in templates.statements:
        assert not [action for action in statement.actions if "*" in action], statement


def test_only_actions_without_a_resource_have_all_resources(templates):
    for statement in templates.statements:
        if "*" in statement.resources:
            assert set(statement.actions) <= WILDCARD_RESOURCES, statement


def test_no_role_deletes_a_master_and_only_the_api_adds_versions(templates):
    for statement in templates.statements:
        assert not [action for action in statement.actions if action.startswith("s3:Delete")]
    assert _allowed_to(templates, "s3:PutObject", "Masters") <= {"AnswerRequest"}
    others = [item for item in templates.statements if not item.role.startswith("AnswerRequest")]
    assert _actions(others, "Masters") == {
        "s3:GetObject",
        "s3:GetObjectVersion",
        "s3:ListBucket",
        "s3:ListBucketVersions",
    }


def test_only_the_converters_write_access_masters(templates):
    writers = {
        statement.role
        for statement in templates.statements
        if "AccessMasters" in statement.stored and "s3:PutObject" in statement.actions
    }
    assert {writer.rstrip("0123456789ABCDEF") for writer in writers} == {
        "ConvertMasterSmallRole",
        "ConvertMasterLargeRole",
        "ConvertMasterGiantTaskTaskRole",
    }


def test_the_task_that_converts_giants_deletes_and_tags_nothing(templates):
    allowed = templates.allowed("ConvertMasterGiantTaskTaskRole")
    reading = {"s3:GetObject", "s3:GetObjectVersion", "s3:GetObjectTagging", "s3:ListBucket"}
    writing = {"s3:PutObject", "s3:AbortMultipartUpload"}
    assert _actions(allowed, "Masters") == {"s3:GetObjectVersion", "s3:ListBucket"}
    assert _actions(allowed, "AccessMasters") == reading | writing
    assert {action for item in allowed for action in item.actions} == reading | writing
    records = [
        json.dumps(item.resources)
        for item in allowed
        if "Records" in json.dumps(item.resources) and "s3:ListBucket" not in item.actions
    ]
    assert records
    assert all("/conversions/*" in text for text in records)


def test_the_ingest_machine_runs_and_stops_no_other_task(templates):
    allowed = [
        item
        for item in templates.allowed("MachineRole")
        if any(action.startswith(("ecs:", "iam:")) for action in item.actions)
    ]
    resources_of = {
        action: json.dumps(item.resources) for item in allowed for action in item.actions
    }
    assert set(resources_of) == {
        *("ecs:RunTask", "ecs:StopTask", "ecs:DescribeTasks", "ecs:TagResource", "iam:PassRole")
    }
    (tagging,) = [item for item in allowed if "ecs:TagResource" in item.actions]
    assert tagging.conditions == {"StringEquals": {"ecs:CreateAction": "RunTask"}}
    assert "ConvertMasterGiantTask" in resources_of["ecs:RunTask"]
    assert "Cluster" in resources_of["ecs:StopTask"]
    assert "/*" in resources_of["ecs:StopTask"]
    assert "ConvertMasterGiantTask" in resources_of["iam:PassRole"]


def test_only_publication_withdrawal_and_the_api_write_identifiers(templates):
    assert _allowed_to(templates, "dynamodb:PutItem", "Identifiers") - {"AnswerRequest"} == {
        "PublishImage",
        "WithdrawImage",
        "Reconcile",
    }


def test_the_reconciler_writes_the_canary_and_no_identifier(templates):
    [statement] = [
        item
        for item in templates.allowed("ReconcileRole")
        if "Identifiers" in item.stored and "dynamodb:PutItem" in item.actions
    ]
    assert statement.actions == ["dynamodb:PutItem"]
    assert statement.conditions == {
        "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["./canary"]}
    }


def test_only_those_who_supersede_an_access_master_tag_it(templates):
    assert _allowed_to(templates, "s3:PutObjectTagging", "AccessMasters") == {
        "PublishImage",
        "RecordRejection",
        "WithdrawImage",
        "Reconcile",
    }
    # A master that the API copies onto itself keeps its tags.
    assert _allowed_to(templates, "s3:PutObjectTagging", "Masters") <= {"AnswerRequest"}
    assert _allowed_to(templates, "s3:PutObjectTagging", "Site") == set()


def test_only_the_reconciler_lists_what_was_deleted(templates):
    for bucket in ("Masters", "AccessMasters"):
        assert _allowed_to(templates, "s3:ListBucketVersions", bucket) == {"Reconcile"}


def test_the_image_task_only_reads(templates):
    allowed = templates.allowed("ImageTaskTaskRole")
    assert _actions(allowed, "AccessMasters") == {"s3:GetObject", "s3:ListBucket"}
    assert _actions(allowed, "Identifiers") == {"dynamodb:GetItem", "dynamodb:BatchGetItem"}
    assert _actions(allowed, "Site") == {"s3:GetObject", "s3:ListBucket"}
    assert set().union(*(statement.stored for statement in allowed)) == {
        "AccessMasters",
        "Identifiers",
        "Site",
    }


def test_what_lists_the_newest_writes_the_list_and_the_first_page(templates):
    written = {
        resource["Fn::Join"][1][-1]
        for statement in templates.allowed("UpdateGalleryRole")
        if "s3:PutObject" in statement.actions
        for resource in statement.resources
    }
    assert written == {"/gallery.json", "/index.html", "/home/*", "/inside/omissions/*"}


def test_the_publisher_writes_what_is_published_and_nothing_else(templates):
    allowed = templates.allowed("PublishObjectsRole")
    writing = {"s3:PutObject", "s3:AbortMultipartUpload"}
    written = {
        resource["Fn::Join"][1][-1]
        for statement in allowed
        if writing & set(statement.actions)
        for resource in statement.resources
    }
    pages = {"/objects/*", "/collections/*", "/embed/*", "/oembed/*"}
    assert written == {"/presentation/*", "/inside/*"} | pages
    assert not any("Put" in action for action in _actions(allowed, "Identifiers"))


def test_what_tells_changes_writes_the_stream_and_nothing_else(templates):
    allowed = templates.allowed("RecordChangesRole")
    written = {
        resource["Fn::Join"][1][-1]
        for statement in allowed
        if "s3:PutObject" in statement.actions
        for resource in statement.resources
    }
    assert written == {"/discovery/changes.json", "/discovery/changes/*"}
    assert not _actions(allowed, "Identifiers")


def test_events_go_out_as_vitrine_only(templates):
    sending = [
        item
        for policy in templates.of("AWS::IAM::Policy")
        for item in policy.properties["PolicyDocument"]["Statement"]
        if item["Action"] == "events:PutEvents"
    ]
    assert sending
    assert all(
        item["Condition"] == {"StringEquals": {"events:source": "vitrine"}} for item in sending
    )


def test_each_machine_is_started_by_those_who_follow_its_cause(templates):
    started = {}
    for item in templates.statements:
        if "states:StartExecution" in item.actions:
            assert set(item.actions) <= {"states:StartExecution", "states:ListExecutions"}, item
            step = item.role.partition("Role")[0]
            for machine in item.resources:
                (name,) = re.findall(r"Ref\W*([A-Za-z]*Machine)[0-9A-F]{8}", json.dumps(machine))
                started.setdefault(name, set()).add(step)
    for machine in ("ReconcileMachine", "RejectionMailMachine"):
        (rule,) = started.pop(machine)
        assert rule.startswith(f"{machine}Events")
    assert started == {
        "Machine": {"StartIngest", "WithdrawImage", "Reconcile", "MigrateMaster"},
        "WithdrawalMachine": {"StartIngest", "Reconcile"},
        # The children of the map are executions of its own machine.
        "MigrationMachine": {"MigrationMachine"},
    }


def test_only_functions_that_throttle_starts_count_executions_and_queue_hints(templates):
    counting = [item for item in templates.statements if "states:ListExecutions" in item.actions]
    assert {item.role.partition("Role")[0] for item in counting} == {"StartIngest", "Reconcile"}
    queue = templates.one("AWS::SQS::Queue", "UploadsQueue").id
    sending = {
        item.role.partition("Role")[0]
        for item in templates.statements
        if "sqs:SendMessage" in item.actions and queue in json.dumps(item.resources)
    }
    assert sending == {"StartIngest", "Reconcile"}


def test_no_role_has_a_policy_of_aws(templates):
    for role in templates.of("AWS::IAM::Role"):
        assert not role.properties.get("ManagedPolicyArns"), role.id


def test_only_the_reconciler_reads_the_notifications_of_s3(templates):
    queue = templates.one("AWS::SQS::Queue", "Notifications").id
    reading = [item for item in templates.statements if queue in json.dumps(item.resources)]
    assert {item.role.partition("Role")[0] for item in reading} == {"Reconcile"}
    actions = {action for item in reading for action in item.actions}
    assert actions == {"sqs:ReceiveMessage", "sqs:DeleteMessage"}


def test_a_role_of_ours_mails_rejections_and_may_use_nothing_but_the_topic(templates):
    allowed = {
        action: item.resources
        for item in templates.allowed("RejectionMailMachineRole")
        for action in item.actions
        if action not in WILDCARD_RESOURCES
    }
    topic = templates.one("AWS::SNS::Topic", "RejectionMail").id
    assert allowed == {"sns:Publish": [{"Ref": topic}]}
