"""What the flavour serverless promises: a Lambda serves the images, and nothing stands by."""

import json
from dataclasses import replace

import pytest

from stacks.constructs.image_function import COMMAND, READ_SECONDS, TIMEOUT_SECONDS
from stacks.designs import ENVIRONMENTS, PROD
from stacks.flavours import FLAVOURS, take_flavour
from stacks.sizes import ImageFunctionSize
from vitrine.settings.declaration import variable_name

STANDING = {
    "AWS::EC2::VPC",
    "AWS::EC2::VPCEndpoint",
    "AWS::ECS::Cluster",
    "AWS::ECS::Service",
    "AWS::ECS::TaskDefinition",
    "AWS::ElasticLoadBalancingV2::LoadBalancer",
    "AWS::WAFv2::WebACL",
    "AWS::CloudFront::VpcOrigin",
    "AWS::CloudFront::MonitoringSubscription",
    "AWS::CloudWatch::Dashboard",
}
"""Types that cost money by the hour or month, or belong to such."""
KEPT = {"AWS::S3::Bucket", "AWS::DynamoDB::GlobalTable", "AWS::CloudFront::Distribution"}

CHOSEN = {
    "rights_uri": "http://rightsstatements.org/vocab/InC/1.0/",
    "tile_metadata": "profile",
    "maximum_output_pixels": 9_000_000,
    "under_pressure": "refuse",
    "browser_max_age_seconds": 61,
    "identifier_ttl_seconds": 45,
}
"""Values that the operator chose for the image service, none of them the default."""


@pytest.fixture(scope="module")
def serverless(synthesize):
    deliver = replace(PROD.deliver, **CHOSEN)
    return synthesize(take_flavour(replace(PROD, deliver=deliver), "serverless"))


@pytest.fixture(scope="module")
def function(serverless):
    return serverless.one("AWS::Lambda::Function", "ImageFunction").properties


@pytest.mark.slow
def test_nothing_stands_by_that_costs_by_the_hour(serverless):
    assert not STANDING & {item.kind for item in serverless.resources}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dev", "prod"])
def test_data_and_distribution_have_the_ids_of_every_other_flavour(synthesize, name):
    kept = [
        {
            (item.stage, item.id)
            for item in synthesize(environment).resources
            if item.kind in KEPT and not item.id.startswith("Runs")
        }
        for environment in (
            ENVIRONMENTS[name],
            *(take_flavour(ENVIRONMENTS[name], flavour) for flavour in FLAVOURS),
        )
    ]
    assert all(ids == kept[0] for ids in kept)


def test_only_the_distribution_may_invoke_the_function(serverless):
    allowed = {
        item.properties["Action"]: item.properties
        for item in serverless.of("AWS::Lambda::Permission")
        if "ImageFunction" in json.dumps(item.properties["FunctionName"])
    }
    assert set(allowed) == {"lambda:InvokeFunctionUrl", "lambda:InvokeFunction"}
    distribution = serverless.one("AWS::CloudFront::Distribution").id
    for properties in allowed.values():
        assert properties["Principal"] == "cloudfront.amazonaws.com"
        assert {"Ref": distribution} in properties["SourceArn"]["Fn::Join"][1]
    assert allowed["lambda:InvokeFunction"]["InvokedViaFunctionUrl"] is True
    url = serverless.one("AWS::Lambda::Url", "ImageFunction")
    assert url.properties["AuthType"] == "AWS_IAM"
    assert "Cors" not in url.properties


def test_the_distribution_signs_what_it_asks_the_function(serverless):
    controls = {
        item.id: item.properties["OriginAccessControlConfig"]
        for item in serverless.of("AWS::CloudFront::OriginAccessControl")
    }
    config = serverless.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    (origin, other) = [item for item in config["Origins"] if "CustomOriginConfig" in item]
    assert "SearchContent" in json.dumps(other["DomainName"])
    control = controls[origin["OriginAccessControlId"]["Fn::GetAtt"][0]]
    assert control["OriginAccessControlOriginType"] == "lambda"
    assert (control["SigningBehavior"], control["SigningProtocol"]) == ("always", "sigv4")
    assert origin["CustomOriginConfig"]["OriginProtocolPolicy"] == "https-only"
    assert origin["CustomOriginConfig"]["OriginSSLProtocols"] == ["TLSv1.2"]


def test_the_signed_host_stays_the_functions_and_the_edges_name_comes_along(serverless):
    forwarded = {"X-Viewer-Address", "X-Viewer-Signals", "X-Public-Base", "X-Request-Uri"}
    policies = {
        item.id: set(
            item.properties["OriginRequestPolicyConfig"]["HeadersConfig"].get("Headers", [])
        )
        for item in serverless.of("AWS::CloudFront::OriginRequestPolicy")
    }
    images = {name: headers for name, headers in policies.items() if "Gateway" in name}
    tickets = {name: headers for name, headers in policies.items() if "Ticket" in name}
    searches = {name: headers for name, headers in policies.items() if "Search" in name}
    assert images.keys() | tickets.keys() | searches.keys() == policies.keys()
    assert [*searches.values()] == [{"X-Public-Base", "X-Request-Uri"}]
    assert [*images.values()] == [forwarded]
    assert [*tickets.values()] == [forwarded | {"X-Vitrine-Ticket"}]


def test_answers_are_streamed_so_that_none_is_cut_at_six_megabytes(serverless):
    url = serverless.one("AWS::Lambda::Url", "ImageFunction")
    assert url.properties["InvokeMode"] == "RESPONSE_STREAM"


def test_the_role_reads_what_an_image_task_reads_and_no_more(serverless, prod):
    def rights(templates, role):
        return {
            (action, stored)
            for statement in templates.allowed(role)
            for action in statement.actions
            for stored in statement.stored
        }

    assert rights(serverless, "ImageFunctionRole") == rights(prod, "ImageTaskTaskRole")
    others = {
        action
        for statement in serverless.allowed("ImageFunctionRole")
        for action in statement.actions
        if not statement.stored
    }
    assert others == {
        *("logs:CreateLogStream", "logs:PutLogEvents"),
        *("xray:PutTraceSegments", "xray:PutTelemetryRecords"),
    }


def test_the_number_of_lambdas_bounds_the_bill(function):
    assert function["ReservedConcurrentExecutions"] == 100


def test_lambda_gives_up_after_the_gateway_and_cloudfront_after_lambda(function):
    gateway = int(function["Environment"]["Variables"]["VITRINE_ANSWER_SECONDS"])
    assert gateway < function["Timeout"] == TIMEOUT_SECONDS < READ_SECONDS


def test_the_function_runs_its_image_in_the_only_place_that_can_be_written(function):
    assert function["ImageConfig"]["Command"] == COMMAND
    variables = function["Environment"]["Variables"]
    assert variables["VITRINE_WORK_DIRECTORY"].startswith("/tmp/")
    size = FLAVOURS["serverless"].values["image_function"]
    assert function["EphemeralStorage"]["Size"] == size.disk_mebibytes
    assert int(variables["VITRINE_CACHE_MEBIBYTES"]) == size.cache_mebibytes < size.disk_mebibytes
    # Only nginx keeps these, and a Lambda has no nginx.
    assert variables["VITRINE_DERIVATIVE_CACHE_MEBIBYTES"] == "0"
    assert variables["VITRINE_TILE_CACHE_MEBIBYTES"] == "0"
    assert int(variables["VITRINE_IIPSRV_MEMORY_MEBIBYTES"]) < size.memory_mebibytes


def test_what_the_operator_chose_of_the_image_service_reaches_the_function(function):
    variables = function["Environment"]["Variables"]
    assert {name: variables[variable_name(name)] for name in CHOSEN} == {
        name: str(value) for name, value in CHOSEN.items()
    }


def test_somebody_hears_of_errors_and_of_requests_that_found_no_lambda(serverless):
    alarms = {
        item.id: item.properties
        for item in serverless.of("AWS::CloudWatch::Alarm")
        if "Function" in item.id
    }
    assert len(alarms) == 2
    for properties in alarms.values():
        assert properties["AlarmActions"]
    text = json.dumps(alarms)
    assert '"Url5xxCount"' in text
    assert '"Throttles"' in text


def test_the_log_is_kept_and_asked_like_those_of_tasks(serverless):
    log = serverless.one("AWS::Logs::LogGroup", "ImageFunctionLog")
    assert log.properties["RetentionInDays"] == PROD.log_days
    queries = [
        item
        for item in serverless.of("AWS::Logs::QueryDefinition")
        if "ImageFunctionLog" in json.dumps(item.properties["LogGroupNames"])
    ]
    assert len(queries) == 8


def test_errors_and_throttled_requests_ring_after_five_minutes(serverless):
    rings = {
        item.id[:-8]: [item.properties[name] for name in ("Threshold", "EvaluationPeriods")]
        for item in serverless.of("AWS::CloudWatch::Alarm")
        if item.id.startswith("ServiceFunction")
    }
    assert rings == {"ServiceFunctionErrors": [5, 1], "ServiceFunctionThrottled": [20, 1]}


def test_invalidations_reach_the_edge_as_ever(serverless, prod):
    def queues(templates):
        return {
            item.id for item in templates.of("AWS::SQS::Queue") if item.id.startswith("Invalid")
        }

    assert queues(serverless) == queues(prod)


@pytest.mark.slow
def test_a_flavour_can_be_mixed_with_giants_which_bring_the_network(synthesize):
    environment = take_flavour(ENVIRONMENTS["dev"], "serverless")
    assert not environment.needs_network
    with_giants = replace(environment, giant_converter=ENVIRONMENTS["dev"].giant_converter)
    templates = synthesize(with_giants)
    assert templates.one("AWS::ECS::TaskDefinition").id.startswith("ConvertMasterGiant")
    assert templates.one("AWS::Lambda::Function", "ImageFunction")


@pytest.mark.parametrize("size", [{"memory_mebibytes": 512}, {"disk_mebibytes": 20_000}])
def test_a_size_that_lambda_rejects_is_a_sentence(size):
    with pytest.raises(ValueError, match="must be 1,024 to 10,240"):
        ImageFunctionSize(
            **{"memory_mebibytes": 1769, "disk_mebibytes": 2048, "at_once": None} | size
        )


def test_what_the_function_reserves_counts_among_the_accounts_lambdas():
    environment = take_flavour(PROD, "serverless")
    with pytest.raises(ValueError, match="new_account = true"):
        replace(
            environment,
            image_function=ImageFunctionSize(
                memory_mebibytes=1769, disk_mebibytes=2048, at_once=400
            ),
        )


def test_a_lambda_sends_no_whole_images_and_no_manifest_leads_to_one(serverless, function):
    name = "VITRINE_DOWNLOADS_AT_ONCE"
    assert function["Environment"]["Variables"][name] == "0"
    publishers = [
        item.properties["Environment"]["Variables"]
        for item in serverless.of("AWS::Lambda::Function")
        if "VITRINE_MAXIMUM_OUTPUT_PIXELS"
        in item.properties.get("Environment", {}).get("Variables", {})
    ]
    assert len(publishers) > 1
    assert {variables[name] for variables in publishers} == {"0"}
