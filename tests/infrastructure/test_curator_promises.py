"""A curator may feed and look after the images, and nothing that a mistake could not undo."""

import json
import re


def _statements(templates):
    policy = templates.one("AWS::IAM::ManagedPolicy")
    for statement in policy.properties["PolicyDocument"]["Statement"]:
        actions = statement["Action"]
        yield {actions} if isinstance(actions, str) else set(actions), statement


def test_curators_delete_no_version_of_anything(templates):
    deleting = {
        (action, json.dumps(statement["Resource"]))
        for actions, statement in _statements(templates)
        for action in actions
        if "Delete" in action or "Purge" in action
    }
    [(action, resource)] = deleting
    assert action == "s3:DeleteObject"
    assert "Masters" in resource
    assert "AccessMasters" not in resource


def test_curators_never_have_all_resources_or_all_actions(templates):
    for actions, statement in _statements(templates):
        assert statement["Effect"] == "Allow"
        assert not [action for action in actions if "*" in action]
        assert "*" not in statement["Resource"]


def test_curators_reach_this_environment_only(templates):
    name = templates.environment.name
    for actions, statement in _statements(templates):
        text = json.dumps(statement["Resource"])
        ours = f"vitrine-{name}-" in text or "event-bus/" in text
        assert ours or "ImportValue" in text, actions


def test_curators_write_masters_and_the_journal_but_no_access_master(templates):
    writing = {
        action: json.dumps(statement["Resource"])
        for actions, statement in _statements(templates)
        for action in actions
        if action in ("s3:PutObject", "s3:PutObjectTagging")
    }
    assert writing
    for action, resource in writing.items():
        assert "AccessMasters" not in resource, action
    policy = json.dumps([statement for _, statement in _statements(templates)])
    assert "/identifiers/*" in policy


def test_curators_write_no_outcome_of_the_ingest(templates):
    written = {
        (action, re.search(r"(Identifiers|Outcomes|Catalogue)", json.dumps(one))[1])
        for actions, statement in _statements(templates)
        for action in actions
        if action.startswith("dynamodb:") and not re.match(r".*:(Get|BatchGet|Scan|Query)", action)
        for one in _list(statement["Resource"])
    }
    assert written == {
        ("dynamodb:PutItem", "Identifiers"),
        ("dynamodb:BatchWriteItem", "Catalogue"),
    }


def _list(value):
    return value if isinstance(value, list) else [value]


def test_curators_start_migrations_and_no_other_machine(templates):
    granted = {
        action: json.dumps(statement["Resource"])
        for actions, statement in _statements(templates)
        for action in actions
        if action.startswith("states:") and action != "states:ListExecutions"
    }
    followed = {"DescribeExecution": "execution", "ListMapRuns": "execution"}
    followed |= {"DescribeMapRun": "mapRun", "UpdateMapRun": "mapRun"}
    kinds = {"StartExecution": "stateMachine"} | followed
    assert granted.keys() == {f"states:{action}" for action in kinds}
    for action, kind in kinds.items():
        resource = granted[f"states:{action}"]
        assert f":{kind}:" in resource
        assert "MigrationMachine" in resource


def test_curators_write_the_items_of_migrations(templates):
    policy = json.dumps([statement for _, statement in _statements(templates)])
    assert "/migrations/*" in policy


def test_the_policy_of_curators_has_room_in_iam(templates):
    policy = _filled(templates.one("AWS::IAM::ManagedPolicy").properties["PolicyDocument"])
    # IAM, "IAM and AWS STS quotas": white space does not count.
    assert len(json.dumps(policy, separators=(",", ":"))) <= 6_144


def _filled(value):
    """Return a value as it is deployed, where each reference is as long as the ARN of a bucket."""
    match value:
        case list():
            return [_filled(one) for one in value]
        case {"Fn::Join": [separator, parts]}:
            return separator.join(map(_filled, parts))
        case {"Ref": str(name)} if name.startswith("AWS::"):
            return "n" * len("eu-central-1")
        case {"Ref": _} | {"Fn::GetAtt": _} | {"Fn::ImportValue": _} | {"Fn::Select": _}:
            return "n" * (len("arn:aws:s3:::") + 63)
        case dict():
            return {name: _filled(one) for name, one in value.items()}
    return value


def test_curators_write_of_the_site_what_is_published_and_nothing_else(templates):
    written = [
        json.dumps(resource)
        for actions, statement in _statements(templates)
        if "s3:PutObject" in actions
        for resource in statement["Resource"]
        if "Site" in json.dumps(resource)
    ]
    prefixes = {re.search(r"/([a-z]+)/[*]", resource)[1] for resource in written}
    assert prefixes == {"presentation", "inside", "objects", "collections", "embed", "oembed"}


def test_no_role_of_the_service_has_the_policy_of_curators(templates):
    for role in templates.of("AWS::IAM::Role"):
        assert "ManagedPolicyArns" not in role.properties, role.id
    policy = templates.one("AWS::IAM::ManagedPolicy").properties
    assert not {"Roles", "Users", "Groups"} & policy.keys()
