"""The API: nobody gets in who is not known, and an environment has one only if it asks for it."""

import json
from dataclasses import replace

import pytest

from stacks.designs import DEV, ENVIRONMENTS
from stacks.environment_values import Api

TOKENS = Api(access="jwt", issuer="https://login.example.org/realms/museum", audience=("vitrine",))


@pytest.fixture(scope="module")
def tokens(synthesize):
    """An environment whose API takes tokens."""
    return synthesize(replace(DEV, api=TOKENS))


def test_only_an_environment_that_asks_for_it_has_an_api(templates):
    stages = {resource.stage for resource in templates.resources}
    requested = ENVIRONMENTS[templates.environment.name].api is not None
    assert ("api" in stages) == requested == (templates.environment.name == "dev")


def test_every_route_asks_for_a_signature(dev):
    routes = dev.of("AWS::ApiGatewayV2::Route")
    assert {route.properties["RouteKey"] for route in routes} == {
        f"{method} /{{proxy+}}" for method in ("GET", "POST", "PUT", "DELETE")
    }
    assert {route.properties["AuthorizationType"] for route in routes} == {"AWS_IAM"}


@pytest.mark.slow
def test_a_token_needs_another_scope_to_change_something_than_to_read(tokens):
    scopes = {}
    for route in tokens.of("AWS::ApiGatewayV2::Route"):
        assert route.properties["AuthorizationType"] == "JWT"
        assert route.properties["AuthorizerId"]
        scopes[route.properties["RouteKey"]] = route.properties["AuthorizationScopes"]
    assert scopes.pop("GET /{proxy+}") == ["vitrine/read"]
    assert scopes == {
        f"{method} /{{proxy+}}": ["vitrine/write"] for method in ("POST", "PUT", "DELETE")
    }
    authorizer = tokens.one("AWS::ApiGatewayV2::Authorizer").properties
    assert authorizer["JwtConfiguration"] == {
        "Audience": ["vitrine"],
        "Issuer": "https://login.example.org/realms/museum",
    }


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"issuer": ""}, "needs issuer"),
        ({"issuer": "http://login.example.org"}, "needs issuer"),
        ({"audience": ()}, "needs audience"),
    ],
)
def test_tokens_of_just_anybody_are_refused_at_synthesis(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(DEV, api=replace(TOKENS, **changes))


def test_the_gateway_throttles_and_keeps_who_asked_for_what(dev):
    stage = dev.one("AWS::ApiGatewayV2::Stage").properties
    assert stage["DefaultRouteSettings"] == {
        "ThrottlingBurstLimit": 40,
        "ThrottlingRateLimit": 20,
    }
    log = stage["AccessLogSettings"]
    assert {"caller", "subject", "path", "status"} <= set(json.loads(log["Format"]))
    (name,) = log["DestinationArn"]["Fn::GetAtt"][:1]
    (group,) = [item for item in dev.of("AWS::Logs::LogGroup") if item.id == name]
    assert group.properties["RetentionInDays"] == dev.environment.log_days


def test_an_alarm_rings_when_it_answers_5xx(dev):
    alarm = next(item for item in dev.of("AWS::CloudWatch::Alarm") if item.stage == "api")
    assert (alarm.properties["MetricName"], alarm.properties["Threshold"]) == ("5xx", 0)
    assert alarm.properties["AlarmActions"]
    assert alarm.properties["AlarmDescription"].endswith("docs/runbooks/the-api-answers-5xx.md")


def test_the_function_is_only_called_by_its_own_gateway(dev):
    permissions = [item for item in dev.of("AWS::Lambda::Permission") if item.stage == "api"]
    assert permissions
    for permission in permissions:
        assert permission.properties["Principal"] == "apigateway.amazonaws.com"
        assert "DoorApi" in json.dumps(permission.properties["SourceArn"])


def test_answers_that_are_kept_for_repeated_requests_expire(templates):
    bucket = templates.one("AWS::S3::Bucket", "Records")
    rules = bucket.properties["LifecycleConfiguration"]["Rules"]
    (rule,) = [item for item in rules if item.get("Prefix") == "requests/"]
    assert rule["ExpirationInDays"] == 1
    assert rule["NoncurrentVersionExpiration"] == {"NoncurrentDays": 1}


def test_a_renamed_object_takes_along_what_ocr_has_noted_of_its_pages_and_no_text_is_written(dev):
    written = {
        resource["Fn::Join"][1][-1]
        for statement in dev.allowed("AnswerRequestRole")
        if "s3:PutObject" in statement.actions
        for resource in statement.resources
    }
    assert {key for key in written if key.startswith("/texts/")} == {"/texts/read/*"}
