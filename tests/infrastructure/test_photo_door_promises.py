"""The photo door, in an environment that asks for one."""

import json
import re
from dataclasses import replace

import pytest

from docs.build.idle_price_page import idle_lines
from stacks.constructs.image_distribution import PHOTO_REQUEST
from stacks.constructs.photo_faults import MAX_FAULTS
from stacks.constructs.photo_function import TIMEOUT_SECONDS
from stacks.designs import DEV
from stacks.flavours import take_flavour
from stacks.sizes import PhotoFunctionSize
from stacks.stage import REPOSITORY
from tests.unit.edge.edge_function import run_function
from vitrine.api.problems import KINDS
from vitrine.edge.policies import DAY, PHOTO_HEADERS, PHOTO_METHODS
from vitrine.photos.permission import FORM_BYTES
from vitrine.photos.wsgi import DECODING_SECONDS, TURN_SECONDS
from vitrine.settings.photos import PhotoOptions, PhotoSettings

NGINX = REPOSITORY / "containers/nginx/photos.conf.template"


@pytest.fixture(scope="module")
def opened(synthesize):
    """The templates of dev with a photo door."""
    return synthesize(replace(DEV, photos=PhotoOptions()))


def _role(templates):
    """Return (action, resources as text) of what the role of image tasks is allowed."""
    for statement in templates.allowed("ImageTaskTaskRole"):
        for action in statement.actions:
            yield action, json.dumps(statement.resources)


def test_a_task_adds_masters_below_one_prefix_and_deletes_nothing(opened):
    [written] = [
        [json.dumps(one) for one in statement.resources]
        for statement in opened.allowed("ImageTaskTaskRole")
        if "s3:PutObject" in statement.actions
    ]
    assert len(written) == 2
    assert sum("Masters" in text and "/photos/*" in text for text in written) == 1
    assert sum("Records" in text and "/photo-thumbnails/*" in text for text in written) == 1
    assert not [action for action, _ in _role(opened) if "Delete" in action]


def test_a_task_reads_the_keys_of_forms_and_may_not_write_them(opened):
    touching = {action for action, text in _role(opened) if "photo-forms/keys.json" in text}
    assert touching == {"s3:GetObject"}


def test_a_task_may_count_and_neither_read_nor_reset_a_counter(opened):
    counting = {action for action, text in _role(opened) if "Uses" in text}
    assert counting == {"dynamodb:UpdateItem"}


def test_thumbnails_and_counters_expire(opened):
    rules = opened.one("AWS::S3::Bucket", "Records").properties["LifecycleConfiguration"]["Rules"]
    [rule] = [one for one in rules if one.get("Prefix") == "photo-thumbnails/"]
    assert rule["ExpirationInDays"] == 1
    table = opened.one("AWS::DynamoDB::Table").properties
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires", "Enabled": True}


def test_images_are_served_without_the_door(opened):
    task = opened.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    containers = {item["Name"]: item for item in task["ContainerDefinitions"]}
    assert containers["photos"]["Essential"] is False
    assert containers["photos"]["Image"] == containers["gateway"]["Image"]
    assert containers["photos"]["ReadonlyRootFilesystem"] is True
    waited_for = [one["ContainerName"] for one in containers["nginx"]["DependsOn"]]
    assert "photos" not in waited_for


def test_nginx_waits_for_the_door_longer_than_it_takes_and_shorter_than_the_balancer(opened):
    [nginx] = map(int, re.findall(r"proxy_read_timeout (\d+)s;", NGINX.read_text()))
    balancer = opened.one("AWS::ElasticLoadBalancingV2::LoadBalancer").properties
    attributes = {one["Key"]: one["Value"] for one in balancer["LoadBalancerAttributes"]}
    idle = int(attributes["idle_timeout.timeout_seconds"])
    assert TURN_SECONDS + DECODING_SECONDS < nginx < idle


def test_the_edge_passes_photographs_on_and_keeps_nothing(opened):
    config = opened.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    [door] = [one for one in config["CacheBehaviors"] if one["PathPattern"] == "/photos"]
    assert "POST" in door["AllowedMethods"]
    assert door["ViewerProtocolPolicy"] == "https-only"
    assert "FunctionAssociations" not in door
    # Managed-CachingDisabled and Managed-AllViewer (CloudFront, managed policies).
    assert door["CachePolicyId"] == "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
    assert door["OriginRequestPolicyId"] == "216adef6-5c7f-47e4-b989-5492eafa07d3"
    others = [one for one in config["CacheBehaviors"] if one is not door]
    assert all("POST" not in one["AllowedMethods"] for one in others)


def test_the_network_leads_to_the_masters_and_the_counters(opened):
    policies = json.dumps(
        [item.properties.get("PolicyDocument") for item in opened.of("AWS::EC2::VPCEndpoint")]
    )
    assert "dynamodb:UpdateItem" in policies


def test_without_the_option_nothing_of_it_is_there(synthesize):
    plain = synthesize(DEV)
    assert not [item for item in plain.resources if "Photo" in item.id]
    assert not [text for action, text in _role(plain) if action == "s3:PutObject"]


def test_a_door_without_an_api_or_with_nothing_to_decode_in_is_refused():
    with pytest.raises(ValueError, match="photos"):
        replace(DEV, photos=PhotoOptions(), api=None)
    serverless = take_flavour(DEV, "serverless")
    with pytest.raises(ValueError, match="photo_function"):
        replace(serverless, photos=PhotoOptions(), photo_function=None)


@pytest.fixture(scope="module")
def function(synthesize):
    """The templates of dev, with its image tasks, and a Lambda as its photo door."""
    options = PhotoOptions(maximum_photo_mebibytes=20, thumbnails="small = square/100,100")
    return synthesize(replace(DEV, photos=options, photo_function=PhotoFunctionSize(at_once=7)))


@pytest.mark.slow
def test_the_function_is_alone_the_door_and_tasks_have_no_right_of_it(function):
    task = function.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    assert "photos" not in {item["Name"] for item in task["ContainerDefinitions"]}
    assert "s3:PutObject" not in {action for action, _ in _role(function)}
    allowed = {
        (action, json.dumps(statement.resources))
        for statement in function.allowed("PhotosAnswerPhotoRole")
        for action in statement.actions
    }
    assert not [action for action, _ in allowed if "Delete" in action]
    touching = {action for action, text in allowed if "photo-forms/keys.json" in text}
    assert touching == {"s3:GetObject"}
    counting = {action for action, text in allowed if "Uses" in text}
    assert counting == {"dynamodb:UpdateItem"}


def test_the_function_has_the_settings_and_no_more_than_lambda_takes(function):
    door = function.one("AWS::Lambda::Function", "PhotosAnswerPhoto").properties
    settings = PhotoSettings.from_environment(
        {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in door["Environment"]["Variables"].items()
        }
    )
    assert settings.thumbnails == "small = square/100,100"
    assert (settings.maximum_photo_mebibytes, settings.photo_workers) == (4, 1)
    assert settings.photo_memory_mebibytes < door["MemorySize"]
    assert door["ReservedConcurrentExecutions"] == 7
    answerer = function.one("AWS::Lambda::Function", "AnswerRequest").properties
    assert answerer["Environment"]["Variables"]["VITRINE_MAXIMUM_PHOTO_MEBIBYTES"] == "4"


def test_the_function_decodes_with_the_libraries_settings_of_the_tasks_door(function):
    exported = re.findall(
        r"\b([A-Z_]+)=(\d+)", (REPOSITORY / "containers/photos/start").read_text()
    )
    door = function.one("AWS::Lambda::Function", "PhotosAnswerPhoto").properties
    variables = door["Environment"]["Variables"]
    assert len(exported) == 5
    assert {name: variables.get(name) for name, _ in exported} == dict(exported)


def test_the_edge_asks_the_function_by_its_own_name_after_a_look_at_the_size(function):
    config = function.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    [door] = [one for one in config["CacheBehaviors"] if one["PathPattern"] == "/photos"]
    [origin] = [one for one in config["Origins"] if one["Id"] == door["TargetOriginId"]]
    assert ".execute-api." in json.dumps(origin["DomainName"])
    assert origin["CustomOriginConfig"]["OriginProtocolPolicy"] == "https-only"
    assert origin["CustomOriginConfig"]["OriginReadTimeout"] > TIMEOUT_SECONDS
    assert [one["EventType"] for one in door["FunctionAssociations"]] == ["viewer-request"]
    # Managed-CachingDisabled and Managed-AllViewerExceptHostHeader.
    assert door["CachePolicyId"] == "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
    assert door["OriginRequestPolicyId"] == "b689b0a8-53d0-40ab-baf2-68738e2966ac"


def test_the_gateway_of_the_function_throttles_and_keeps_a_log(function):
    [stage] = [one for one in function.of("AWS::ApiGatewayV2::Stage") if one.stage == "deliver"]
    # More at a moment than the function answers would only be turned away by Lambda.
    assert stage.properties["DefaultRouteSettings"] == {
        "ThrottlingBurstLimit": 7,
        "ThrottlingRateLimit": 50,
    }
    assert "status" in json.loads(stage.properties["AccessLogSettings"]["Format"])
    [route] = [one for one in function.of("AWS::ApiGatewayV2::Route") if one.stage == "deliver"]
    assert route.properties["RouteKey"] == "ANY /photos"


def _faults(templates):
    """Return the metrics of the alarm of the door, and what is counted in which log."""
    [alarm] = [one for one in templates.of("AWS::CloudWatch::Alarm") if "PhotoDoor" in one.id]
    assert alarm.properties["Threshold"] == MAX_FAULTS
    assert alarm.properties["ComparisonOperator"] == "GreaterThanThreshold"
    assert alarm.properties["AlarmActions"]
    assert alarm.properties["AlarmDescription"].endswith("docs/runbooks/the-photo-door-fails.md")
    stats = [one["MetricStat"] for one in alarm.properties["Metrics"] if "MetricStat" in one]
    assert {one["Period"] for one in stats} == {900}
    counted = templates.one("AWS::Logs::MetricFilter").properties
    [made] = counted["MetricTransformations"]
    metrics = [(one["Metric"]["Namespace"], one["Metric"]["MetricName"]) for one in stats]
    assert metrics[0] == (made["MetricNamespace"], made["MetricName"])
    assert metrics[0] == ("Vitrine/Photos/dev", "Faults")
    return metrics[1:], counted["LogGroupName"]["Ref"], counted["FilterPattern"]


def test_an_alarm_rings_for_faults_of_the_function_and_not_for_what_its_gateway_refuses(function):
    others, log, pattern = _faults(function)
    assert others == [("AWS/Lambda", "Errors")]
    assert log.startswith("PhotosAnswerPhotoLog")
    assert pattern == "{ $.status >= 500 }"


def test_an_alarm_rings_when_the_door_of_a_task_fails_or_does_not_answer(opened):
    others, log, pattern = _faults(opened)
    assert others == []
    assert log.startswith("ImageTasknginxLog")
    assert '$.uri = "/photos"' in pattern
    # nginx's own refusals have no status of what is behind it.
    assert '$.gateway_status = "5*"' in pattern


def test_what_the_alarm_costs_is_in_the_idle_price(opened, function):
    for templates in (opened, function):
        looked_at = [
            metric
            for alarm in templates.of("AWS::CloudWatch::Alarm")
            for metric in alarm.properties.get("Metrics", [alarm.properties])
            if "Expression" not in metric
        ]
        lines = {line.what: line.quantity for line in idle_lines(templates.environment)}
        assert lines["Metric in CloudWatch alarms"] == len(looked_at)


@pytest.mark.parametrize("door", ["opened", "function"])
def test_a_page_may_read_what_is_refused_before_the_door(request, door):
    templates = request.getfixturevalue(door)
    config = templates.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    [behavior] = [one for one in config["CacheBehaviors"] if one["PathPattern"] == "/photos"]
    [policy] = [
        one.properties["ResponseHeadersPolicyConfig"]["CorsConfig"]
        for one in templates.of("AWS::CloudFront::ResponseHeadersPolicy")
        if one.id == behavior["ResponseHeadersPolicyId"]["Ref"]
    ]
    assert policy["AccessControlAllowOrigins"] == {"Items": ["*"]}
    assert policy["AccessControlAllowMethods"] == {"Items": ["POST", "OPTIONS"]}
    assert policy["AccessControlAllowHeaders"] == {"Items": ["Authorization", "Content-Type"]}
    assert policy["AccessControlExposeHeaders"] == {"Items": ["Retry-After"]}
    # The door says CORS as well: a browser takes no answer that says it twice.
    assert policy["OriginOverride"] is True


def _ask_before(length, method="POST"):
    headers = {"host": {"value": "images.example.org"}}
    if length is not None:
        headers["content-length"] = {"value": str(length)}
    request = {"method": method, "uri": "/photos", "querystring": {}, "headers": headers}
    [verdict] = run_function([{"request": request}], PHOTO_REQUEST)
    return verdict


def test_what_lambda_cannot_take_is_refused_before_it_in_the_words_of_the_door():
    refused = _ask_before((4 << 20) + FORM_BYTES + 1)
    problem = json.loads(refused["body"]["data"])
    said = KINDS["photo-too-large"]
    assert (refused["statusCode"], problem["status"]) == (413, said.status)
    assert (problem["title"], problem["advice"]) == (said.title, said.advice)
    for length in ((4 << 20) + FORM_BYTES, None):
        passed = _ask_before(length)
        assert passed["headers"]["x-public-base"]["value"] == "https://images.example.org"


def test_a_preflight_is_answered_at_the_edge_in_the_words_of_its_policy():
    answered = _ask_before(None, "OPTIONS")
    assert answered["statusCode"] == 204
    said = {name: one["value"] for name, one in answered["headers"].items()}
    assert said["access-control-allow-origin"] == "*"
    assert said["access-control-allow-methods"] == said["allow"] == ", ".join(PHOTO_METHODS)
    assert said["access-control-allow-headers"] == ", ".join(PHOTO_HEADERS)
    assert said["access-control-max-age"] == str(DAY)
