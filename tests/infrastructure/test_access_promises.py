"""The services of access, in an environment that asks for them."""

import json
from dataclasses import replace

import pytest

from stacks.constructs.image_distribution import AUTH_REQUEST
from stacks.designs import DEV
from tests.unit.edge.edge_function import event, run_function
from vitrine.settings.edge import AccessOptions, AuthorizationSettings

ROLE = "AuthorizeVisitorRole"


@pytest.fixture(scope="module")
def restricted(synthesize):
    """The templates of dev with services of access."""
    return synthesize(replace(DEV, access=AccessOptions(audit_subjects="none")))


def _behavior(templates):
    config = templates.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    [found] = [one for one in config["CacheBehaviors"] if one["PathPattern"] == "/auth/*"]
    return found


@pytest.mark.slow
def test_without_the_option_nothing_of_it_is_there(synthesize):
    plain = synthesize(DEV)
    assert not [item for item in plain.resources if "Admit" in item.id or "Auth" in item.id]


@pytest.mark.slow
def test_the_function_reads_rights_and_identifiers_and_counts_ways_in_alone(restricted):
    allowed = {
        (action, json.dumps(statement.resources))
        for statement in restricted.allowed(ROLE)
        for action in statement.actions
    }
    actions = {action for action, _ in allowed if not action.startswith(("logs:", "xray:"))}
    assert actions == {"s3:GetObject", "s3:ListBucket", "dynamodb:GetItem", "dynamodb:UpdateItem"}
    [counted] = [text for action, text in allowed if action == "dynamodb:UpdateItem"]
    assert "Uses" in counted
    [objects] = [text for action, text in allowed if action == "s3:GetObject"]
    assert "/access/*" in objects


def test_only_the_distribution_may_invoke_it_so_nobody_comes_past_the_edge(restricted):
    url = restricted.one("AWS::Lambda::Url", "AuthorizeVisitor").properties
    assert url["AuthType"] == "AWS_IAM"
    assert url.get("Cors") is None
    principals = {
        item.properties["Principal"]
        for item in restricted.of("AWS::Lambda::Permission")
        if "AuthorizeVisitor" in json.dumps(item.properties["FunctionName"])
    }
    assert principals == {"cloudfront.amazonaws.com"}


def test_the_edge_keeps_nothing_and_takes_only_what_viewers_send(restricted):
    behavior = _behavior(restricted)
    assert set(behavior["AllowedMethods"]) == {"GET", "HEAD", "OPTIONS"}
    assert behavior["ViewerProtocolPolicy"] == "https-only"
    # Managed-CachingDisabled and Managed-AllViewerExceptHostHeader (CloudFront, managed policies).
    assert behavior["CachePolicyId"] == "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
    assert behavior["OriginRequestPolicyId"] == "b689b0a8-53d0-40ab-baf2-68738e2966ac"
    [function] = behavior["FunctionAssociations"]
    assert function["EventType"] == "viewer-request"
    assert "AuthRequest" in json.dumps(function["FunctionARN"])


def test_the_function_has_the_settings_and_a_limit_of_its_own(restricted):
    function = restricted.one("AWS::Lambda::Function", "AuthorizeVisitor").properties
    settings = AuthorizationSettings.from_environment(
        {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in function["Environment"]["Variables"].items()
        }
    )
    assert settings.audit_subjects == "none"
    assert function["ReservedConcurrentExecutions"] == 20


def test_records_of_admissions_are_kept_as_long_as_the_environment_says(restricted):
    log = restricted.one("AWS::Logs::LogGroup", "AuthorizeVisitorLog").properties
    assert log["RetentionInDays"] == DEV.log_days


def test_its_failures_ring(restricted):
    alarm = restricted.one("AWS::CloudWatch::Alarm", "AccessFails").properties
    assert "docs/runbooks/people-are-not-let-in.md" in alarm["AlarmDescription"]


def test_a_viewer_cannot_say_where_it_is_nor_who_signed():
    sent_in = event("GET", "/auth/staff/probe?image=a")
    headers = sent_in["request"]["headers"]
    for name in ("x-viewer-address", "x-viewer-authorization", "x-public-base"):
        headers[name] = {"value": "of the viewer's own"}
    headers["authorization"] = {"value": "Bearer token"}
    [passed] = run_function([sent_in], AUTH_REQUEST)
    assert passed["uri"] == "/auth/staff/probe"
    sent = {name: header["value"] for name, header in passed["headers"].items()}
    assert sent["x-viewer-address"] == "192.0.2.1"
    assert sent["x-viewer-authorization"] == "Bearer token"
    assert sent["x-public-base"] == "https://images.example.org"
    # In its place, CloudFront puts its own signature of the request.
    assert "authorization" not in sent
