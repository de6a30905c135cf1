"""Image tasks are reached through CloudFront only, and they reach AWS only."""

import json
import re
from dataclasses import replace

import pytest

from stacks.designs import ENVIRONMENTS
from stacks.environment_values import ExistingVpc


def _ingress(templates):
    rules = [
        (group.id, rule)
        for group in templates.of("AWS::EC2::SecurityGroup")
        for rule in group.properties.get("SecurityGroupIngress", ())
    ]
    return rules + [
        (_name(rule.properties["GroupId"]), rule.properties)
        for rule in templates.of("AWS::EC2::SecurityGroupIngress")
    ]


def _name(group):
    """Return the logical id of a group of the same stack, or the export of another stack's."""
    return group["Fn::GetAtt"][0] if "Fn::GetAtt" in group else group["Fn::ImportValue"]


def test_the_balancer_is_internal_and_tasks_have_no_public_address(templates):
    balancer = templates.one("AWS::ElasticLoadBalancingV2::LoadBalancer")
    assert balancer.properties["Scheme"] == "internal"
    network = templates.one("AWS::ECS::Service").properties["NetworkConfiguration"]
    assert network["AwsvpcConfiguration"]["AssignPublicIp"] == "DISABLED"


def test_the_service_needs_no_nat(templates):
    kinds = {resource.kind for resource in templates.resources}
    assert "AWS::EC2::NatGateway" not in kinds
    services = json.dumps(
        [item.properties["ServiceName"] for item in templates.of("AWS::EC2::VPCEndpoint")]
    )
    for name in (".s3", ".dynamodb", ".ecr.api", ".ecr.dkr", ".logs"):
        assert f'{name}"' in services, name


def _list(value):
    return value if isinstance(value, list) else [value]


def _endpoint_statements(templates, service):
    (endpoint,) = [
        item.properties
        for item in templates.of("AWS::EC2::VPCEndpoint")
        if f'.{service}"' in json.dumps(item.properties["ServiceName"])
    ]
    return endpoint["PolicyDocument"]["Statement"]


def test_endpoints_lead_to_our_buckets_and_our_table_only(templates):
    *ours, layers = _endpoint_statements(templates, "s3")
    found = {
        (action, name)
        for statement in ours
        for action in statement["Action"]
        for name in re.findall(r"OutputFnGetAtt([A-Za-z]+?)[0-9A-F]{8}Arn", json.dumps(statement))
    }
    reading = {"s3:GetObject", "s3:GetObjectVersion", "s3:GetObjectTagging", "s3:ListBucket"}
    writing = {"s3:PutObject", "s3:AbortMultipartUpload"}
    assert found == {
        *((action, name) for action in reading for name in ("Masters", "Site")),
        *((action, name) for action in reading | writing for name in ("AccessMasters", "Records")),
    }
    assert layers["Action"] == "s3:GetObject"
    region = templates.environment.region
    assert layers["Resource"] == f"arn:aws:s3:::prod-{region}-starport-layer-bucket/*"
    (table,) = _endpoint_statements(templates, "dynamodb")
    assert set(table["Action"]) == {"dynamodb:GetItem", "dynamodb:BatchGetItem"}
    assert "Identifiers" in json.dumps(table["Resource"])
    for statement in (*ours, table):
        account = {"aws:PrincipalAccount": {"Ref": "AWS::AccountId"}}
        assert statement["Condition"] == {"StringEquals": account}


def test_interface_endpoints_pull_our_images_and_write_our_logs_only(templates):
    region, account = templates.environment.region, {"Ref": "AWS::AccountId"}
    pulled = {"ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"}
    logged = {"logs:CreateLogStream", "logs:PutLogEvents"}
    for service, actions, kind in (
        ("ecr.api", pulled, "repository/*"),
        ("ecr.dkr", pulled, "repository/*"),
        ("logs", logged, "log-group:*"),
    ):
        ours, *token = _endpoint_statements(templates, service)
        assert set(ours["Action"]) == actions
        name = f"arn:aws:{service.partition('.')[0]}:{region}:"
        assert ours["Resource"] == {"Fn::Join": ["", [name, account, f":{kind}"]]}
        # It takes no resource, and is of use for what the account of its role may pull.
        assert [item["Action"] for item in token] == ["ecr:GetAuthorizationToken"] * (
            service != "logs"
        )
        for statement in (ours, *token):
            assert statement["Condition"] == {"StringEquals": {"aws:PrincipalAccount": account}}


def test_tasks_may_not_do_what_an_endpoint_would_refuse(templates):
    """Every action that a role of a task has passes through the endpoints."""
    services = ("s3", "dynamodb", "ecr.api", "ecr.dkr", "logs")
    passed = {
        action
        for service in services
        for statement in _endpoint_statements(templates, service)
        for action in _list(statement["Action"])
    }
    prefixes = tuple(f"{service.partition('.')[0]}:" for service in services)
    for task in ("ImageTask", "ConvertMasterGiantTask"):
        for role in (f"{task}TaskRole", f"{task}ExecutionRole"):
            for statement in templates.allowed(role):
                used = {item for item in statement.actions if item.startswith(prefixes)}
                assert used <= passed, role


def test_no_route_leads_out(templates):
    assert not [item for item in templates.resources if item.kind == "AWS::EC2::Route"]


def test_the_vpc_origin_comes_after_the_internet_gateway(templates):
    attachment = templates.one("AWS::EC2::VPCGatewayAttachment")
    origin = templates.one("AWS::CloudFront::VpcOrigin")
    assert (attachment.stage, origin.stage) == ("network", "edge")
    needed = {
        item.stack_name.rpartition("-")[2]: {dependency.id for dependency in item.dependencies}
        for item in templates.assembly.stacks
    }
    assert f"vitrine-{templates.environment.name}-deliver" in needed["edge"]
    assert f"vitrine-{templates.environment.name}-network" in needed["deliver"]


def test_only_cloudfront_reaches_the_balancer(templates):
    group = templates.one("AWS::EC2::SecurityGroup", "BalancerGroup")
    rules = [rule for name, rule in _ingress(templates) if name == group.id]
    assert [rule.get("SourcePrefixListId") for rule in rules] == [
        templates.environment.prefix_list_id
    ]


def test_only_the_balancer_reaches_the_tasks(templates):
    tasks = templates.one("AWS::EC2::SecurityGroup", "TaskGroup")
    balancer = templates.one("AWS::EC2::SecurityGroup", "BalancerGroup")
    rules = [rule for name, rule in _ingress(templates) if name == tasks.id]
    assert [rule["SourceSecurityGroupId"]["Fn::GetAtt"][0] for rule in rules] == [balancer.id]
    assert [(rule["FromPort"], rule["ToPort"]) for rule in rules] == [(8080, 8080)]


def test_nobody_reaches_the_tasks_that_convert_giants(templates):
    giants = templates.one("AWS::EC2::SecurityGroup", "ConvertMasterGiantTask")
    assert [rule for name, rule in _ingress(templates) if name == giants.id] == []
    run = templates.states()["ConvertMasterGiant"]["Parameters"]["NetworkConfiguration"]
    assert run["AwsvpcConfiguration"]["AssignPublicIp"] == "DISABLED"


def test_all_tasks_and_nobody_else_reach_the_interface_endpoints(templates):
    endpoints = templates.one("AWS::EC2::SecurityGroup", "NetworkEndpoints")
    (export,) = [
        item
        for item in templates.stages["network"]["Outputs"].values()
        if endpoints.id in json.dumps(item["Value"])
    ]
    rules = [
        rule.properties
        for rule in templates.of("AWS::EC2::SecurityGroupIngress")
        if rule.properties["GroupId"].get("Fn::ImportValue") == export["Export"]["Name"]
    ]
    from_groups = {rule["SourceSecurityGroupId"]["Fn::GetAtt"][0] for rule in rules}
    assert {name.rstrip("0123456789ABCDEF") for name in from_groups} == {
        "TaskGroup",
        "ConvertMasterGiantTaskGroup",
    }
    assert {(rule["FromPort"], rule["ToPort"]) for rule in rules} == {(443, 443)}


def test_no_group_is_open_to_the_world(templates):
    for name, rule in _ingress(templates):
        assert "CidrIp" not in rule, name
        assert "CidrIpv6" not in rule, name


def test_balancer_and_service_are_in_two_zones(templates):
    assert (
        len(templates.one("AWS::ElasticLoadBalancingV2::LoadBalancer").properties["Subnets"]) >= 2
    )
    network = templates.one("AWS::ECS::Service").properties["NetworkConfiguration"]
    assert len(network["AwsvpcConfiguration"]["Subnets"]) >= 2
    zones = {item.properties["AvailabilityZone"] for item in templates.of("AWS::EC2::Subnet")}
    assert zones == set(templates.environment.availability_zones)


def test_health_and_metrics_are_not_reachable_through_the_balancer(templates):
    (action,) = templates.one("AWS::ElasticLoadBalancingV2::Listener").properties["DefaultActions"]
    assert action["Type"] == "fixed-response"
    rule = templates.one("AWS::ElasticLoadBalancingV2::ListenerRule").properties
    (condition,) = rule["Conditions"]
    patterns = {"/iiif/*", "/presentation/*", "/restricted/*"}
    assert set(condition["PathPatternConfig"]["Values"]) == patterns


def test_what_the_network_rejects_is_logged(templates):
    log = templates.one("AWS::EC2::FlowLog").properties
    assert log["TrafficType"] == "REJECT"
    assert log["ResourceId"] == {"Ref": templates.one("AWS::EC2::VPC").id}
    assert log["LogDestinationType"] == "s3"
    assert "AccessLogs" in json.dumps(log["LogDestination"])


def test_the_balancer_logs_every_request_to_the_bucket_of_access_logs(templates):
    balancer = templates.one("AWS::ElasticLoadBalancingV2::LoadBalancer").properties
    attributes = {item["Key"]: item["Value"] for item in balancer["LoadBalancerAttributes"]}
    assert attributes["access_logs.s3.enabled"] == "true"
    bucket = templates.one("AWS::S3::Bucket", "AccessLogs")
    assert bucket.id in json.dumps(attributes["access_logs.s3.bucket"])
    prefix, account = attributes["access_logs.s3.prefix"], templates.environment.account
    (statement,) = (
        item
        for name, statements in templates.bucket_policies()
        if name == bucket.id
        for item in statements
        if f"/{prefix}/AWSLogs/{account}/*" in json.dumps(item["Resource"])
    )
    # Elastic Load Balancing, "Enable access logs": the account of each region that writes them.
    accounts = {"us-east-1": "127311923021", "eu-west-1": "156460612806"}
    writer = accounts[templates.environment.region]
    assert statement["Principal"] == {"AWS": f"arn:aws:iam::{writer}:root"}
    assert (statement["Effect"], statement["Action"]) == ("Allow", "s3:PutObject")


def test_nothing_is_in_the_default_security_group(templates):
    """It admits only its members, and has no member; emptying it would take a custom resource."""
    for kind, place in (
        ("AWS::ElasticLoadBalancingV2::LoadBalancer", "SecurityGroups"),
        ("AWS::EC2::VPCEndpoint", "SecurityGroupIds"),
    ):
        for item in templates.of(kind):
            if item.properties.get("VpcEndpointType") != "Gateway":
                assert item.properties[place], item.id
    networks = [
        item.properties["NetworkConfiguration"] for item in templates.of("AWS::ECS::Service")
    ]
    run = templates.states()["ConvertMasterGiant"]["Parameters"]["NetworkConfiguration"]
    for network in (*networks, run):
        assert network["AwsvpcConfiguration"]["SecurityGroups"]
    assert "DefaultSecurityGroup" not in json.dumps(templates.stages)


@pytest.mark.slow
def test_an_existing_vpc_gets_nothing_but_security_groups(synthesize):
    existing = ExistingVpc(
        vpc_id="vpc-0123456789abcdef0",
        cidr="10.9.0.0/16",
        subnet_ids=("subnet-0123456789abcdef0", "subnet-0123456789abcdef1"),
    )
    templates = synthesize(replace(ENVIRONMENTS["dev"], vpc=existing))
    kinds = {item.kind for item in templates.resources if item.kind.startswith("AWS::EC2::")}
    assert kinds <= {
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::EC2::SecurityGroupEgress",
    }
    balancer = templates.one("AWS::ElasticLoadBalancingV2::LoadBalancer")
    assert tuple(balancer.properties["Subnets"]) == existing.subnet_ids
    for group in templates.of("AWS::EC2::SecurityGroup"):
        assert group.properties["VpcId"] == existing.vpc_id
