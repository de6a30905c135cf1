"""The endpoint for programs that speak MCP: a visitor without rights, and throttled."""

import json
from dataclasses import replace

import pytest

from docs.build.idle_price_page import idle_lines
from stacks.constructs.http_door import TIMEOUT_SECONDS
from stacks.designs import DEV, PROD
from tests.unit.edge.edge_function import run_function
from vitrine.edge.functions import MCP_REQUEST
from vitrine.edge.policies import MCP_PATTERN
from vitrine.mcp.visitor import READ_SECONDS

DOMAIN = {
    "domain_name": "images.example.org",
    "certificate_arn": "arn:aws:acm:us-east-1:111111111111:certificate/abc",
}


@pytest.fixture(scope="module")
def answering(synthesize):
    """The templates of dev with the endpoint."""
    return synthesize(replace(DEV, **DOMAIN, mcp=True))


def _function(templates):
    return templates.one("AWS::Lambda::Function", "McpAnswerMcp").properties


def test_nothing_is_there_unless_it_is_asked_for(templates):
    assert not templates.environment.mcp
    assert "AnswerMcp" not in json.dumps(templates.stages)


def test_its_role_may_write_its_log_and_nothing_else(answering):
    actions = {
        action
        for statement in answering.allowed("McpAnswerMcpRole")
        for action in statement.actions
        if not action.startswith("xray:")
    }
    assert actions == {"logs:CreateLogStream", "logs:PutLogEvents"}


def test_it_reads_at_the_address_that_visitors_know(answering):
    variables = _function(answering)["Environment"]["Variables"]
    assert variables["VITRINE_PUBLIC_BASE_URL"] == "https://images.example.org"


def test_a_read_ends_before_the_function_and_the_function_before_its_gateway(answering):
    assert READ_SECONDS < _function(answering)["Timeout"] == TIMEOUT_SECONDS
    config = answering.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    [behavior] = [one for one in config["CacheBehaviors"] if one["PathPattern"] == MCP_PATTERN]
    [origin] = [one for one in config["Origins"] if one["Id"] == behavior["TargetOriginId"]]
    assert origin["CustomOriginConfig"]["OriginReadTimeout"] > 30 > TIMEOUT_SECONDS


def test_the_edge_keeps_nothing_and_hands_all_of_a_message_on(answering):
    config = answering.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    [behavior] = [one for one in config["CacheBehaviors"] if one["PathPattern"] == MCP_PATTERN]
    assert "POST" in behavior["AllowedMethods"]
    assert behavior["ViewerProtocolPolicy"] == "https-only"
    # AWS's CachingDisabled and AllViewerExceptHostHeader.
    assert behavior["CachePolicyId"] == "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
    assert behavior["OriginRequestPolicyId"] == "b689b0a8-53d0-40ab-baf2-68738e2966ac"
    # The functions say CORS: a browser takes no answer that says it twice.
    assert "ResponseHeadersPolicyId" not in behavior


def test_all_programs_together_are_throttled_and_every_call_is_logged(answering):
    stage = answering.one("AWS::ApiGatewayV2::Stage", "Mcp").properties
    throttle = stage["DefaultRouteSettings"]
    assert (throttle["ThrottlingRateLimit"], throttle["ThrottlingBurstLimit"]) == (10, 20)
    assert "$context.identity.sourceIp" in stage["AccessLogSettings"]["Format"]
    route = answering.one("AWS::ApiGatewayV2::Route", "Mcp").properties
    assert (route["RouteKey"], route["AuthorizationType"]) == (f"POST {MCP_PATTERN}", "NONE")


def _ask_before(method):
    request = {"method": method, "uri": "/mcp", "querystring": {}, "headers": {}}
    [verdict] = run_function([{"request": request}], MCP_REQUEST)
    return verdict


def test_the_edge_answers_what_is_no_message_without_an_invocation():
    assert _ask_before("POST")["method"] == "POST"
    preflight = _ask_before("OPTIONS")
    assert preflight["statusCode"] == 204
    assert preflight["headers"]["access-control-allow-origin"]["value"] == "*"
    assert preflight["headers"]["access-control-allow-headers"]["value"] == "*"
    for method in ("GET", "HEAD", "PUT", "DELETE"):
        refused = _ask_before(method)
        assert refused["statusCode"] == 405
        assert refused["headers"]["allow"]["value"] == "POST, OPTIONS"
        assert "Model Context Protocol" in json.loads(refused["body"]["data"])["error"]["message"]


def test_somebody_hears_if_it_fails_and_that_is_in_the_idle_price(answering):
    alarm = answering.one("AWS::CloudWatch::Alarm", "McpFails").properties
    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/Lambda", "Errors")
    assert "docs/runbooks/programs-get-no-answer.md" in alarm["AlarmDescription"]
    with_it, without = (
        {line.what: line for line in idle_lines(replace(DEV, mcp=mcp))} for mcp in (True, False)
    )
    more = {name: with_it[name].quantity - without[name].quantity for name in with_it}
    assert {name: number for name, number in more.items() if number} == {
        "Metric in CloudWatch alarms": 1
    }


def test_it_needs_a_domain_where_it_is_deployed():
    with pytest.raises(ValueError, match="mcp: needs domain_name"):
        replace(DEV, account="111111111111", mcp=True)
    assert replace(DEV, account="111111111111", **DOMAIN, mcp=True).mcp
    assert not PROD.mcp
