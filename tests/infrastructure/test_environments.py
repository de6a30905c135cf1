"""The designs differ in what stacks/designs.py says, and in nothing else."""

import json
import re
from dataclasses import fields

import pytest

from stacks.designs import ENVIRONMENTS
from tests.infrastructure.own_values import OPERATED
from vitrine.settings.deliver import DeliverSettings
from vitrine.settings.edge import InvalidateSettings
from vitrine.settings.ingest import IngestSettings
from vitrine.settings.present import (
    ApiSettings,
    PresentSettings,
    PublishSettings,
    SiteSettings,
    StatisticsSettings,
)

STAGES = [
    *("store", "identify", "network", "ingest", "deliver", "edge", "present", "api"),
    "migrate",
    "curate",
    *("observe", "watch"),
]
OUTPUTS = {
    "store": {
        "MastersBucketName",
        "AccessMastersBucketName",
        "RecordsBucketName",
        "SiteBucketName",
    },
    "identify": {"CatalogueTableName", "IdentifiersTableName", "OutcomesTableName"},
    "network": set(),
    "ingest": {
        "StateMachineArn",
        "FailuresQueueUrl",
        "EventBusName",
        "ReconcileFunctionName",
        "StartIngestQueueUrl",
        "StartIngestDeadLettersUrl",
        "RecordLostExecutionQueueUrl",
        "RecordLostExecutionDeadLettersUrl",
    },
    "deliver": {
        "ClusterName",
        "ListenerArn",
        "ServiceName",
        "TaskDefinitionArn",
        "ContentSearchFunctionUrl",
    },
    "edge": {
        "DistributionDomainName",
        "DistributionId",
        "FrameAncestors",
        "TicketStoreArn",
        "InvalidateEdgeQueueUrl",
        "InvalidateEdgeDeadLettersUrl",
    },
    "present": {
        "UpdateGalleryQueueUrl",
        "UpdateGalleryDeadLettersUrl",
        "PublishObjectsFunctionName",
        "PublishObjectsQueueUrl",
        "PublishObjectsDeadLettersUrl",
        "RecordChangesQueueUrl",
        "UpdateSearchQueueUrl",
        "RecordChangesDeadLettersUrl",
        "UpdateSearchDeadLettersUrl",
    },
    "api": {"ApiId", "ApiAccess"},
    "migrate": {"MigrateFunctionName", "MigrationMachineArn"},
    "curate": {"CuratorPolicyArn"},
}
MAY_DIFFER = {
    # Of the alarms that see that the reconciler did not run, that there are too few or too many
    # tasks, and of those on the distribution and on metrics by the environment's name.
    "AWS::CloudWatch::Alarm": {
        "AlarmDescription",
        "Dimensions",
        "EvaluationPeriods",
        "Metrics",
        "Threshold",
    },
    "AWS::CloudWatch::Dashboard": {"DashboardBody"},
    "AWS::ApplicationAutoScaling::ScalableTarget": {"MaxCapacity", "MinCapacity", "ResourceId"},
    "AWS::CloudFront::CachePolicy": {"CachePolicyConfig.Name"},
    "AWS::CloudFront::Distribution": {"DistributionConfig.WebACLId", "DistributionConfig.Origins"},
    "AWS::CloudFront::Function": {"FunctionConfig.Comment", "Name"},
    "AWS::CloudFront::OriginAccessControl": {"OriginAccessControlConfig.Name"},
    "AWS::CloudFront::OriginRequestPolicy": {"OriginRequestPolicyConfig.Name"},
    "AWS::CloudFront::ResponseHeadersPolicy": {"ResponseHeadersPolicyConfig.Name"},
    "AWS::CloudFront::VpcOrigin": {"VpcOriginEndpointConfig.Name"},
    "AWS::CloudWatch::CompositeAlarm": {"AlarmActions", "OKActions"},
    "AWS::DynamoDB::GlobalTable": {"Replicas"},
    "AWS::EC2::SecurityGroup": {"SecurityGroupIngress"},
    "AWS::EC2::SecurityGroupIngress": {"SourcePrefixListId"},
    "AWS::EC2::Subnet": {"AvailabilityZone"},
    "AWS::EC2::VPCEndpoint": {"ServiceName", "SubnetIds"},
    "AWS::ECS::Service": {"CapacityProviderStrategy", "LaunchType"},
    "AWS::Events::Rule": {"ScheduleExpression"},
    "AWS::ECS::TaskDefinition": {
        "ContainerDefinitions",
        "Cpu",
        "EphemeralStorage",
        "Family",
        "Memory",
    },
    "AWS::ElasticLoadBalancingV2::LoadBalancer": {"LoadBalancerAttributes"},
    "AWS::Lambda::EventSourceMapping": {"ScalingConfig.MaximumConcurrency"},
    "AWS::Lambda::Function": {
        "EphemeralStorage.Size",
        "MemorySize",
        "Environment",
        "ReservedConcurrentExecutions",
    },
    "AWS::Logs::LogGroup": {"RetentionInDays"},
    "AWS::Logs::QueryDefinition": {"Name"},
    "AWS::S3::Bucket": {"LifecycleConfiguration"},
    "AWS::SNS::Topic": {"DisplayName"},
    "AWS::StepFunctions::StateMachine": {"LoggingConfiguration.Level"},
}
ALARMS_OF_THE_EDGE = ("watch/Alarms",)
"""Beginnings of what another region than us-east-1 has there: there, one topic is enough."""
# Resources in us-east-1 have their own stack if the environment is in another region.
MAY_BE_ABSENT = {
    "AWS::ECS::ClusterCapacityProviderAssociations",
    "AWS::Logs::Delivery",
    "AWS::Logs::DeliveryDestination",
    "AWS::Logs::DeliverySource",
    "AWS::WAFv2::WebACL",
}
FOR_STACKS = ("Exports", "PublishOutput")
"""Prefixes of outputs that the CDK adds for our other stacks, in the same region or another."""


def _different(one, other, path=""):
    if isinstance(one, dict) and isinstance(other, dict) and path.count(".") < 2:
        for key in one.keys() | other.keys():
            yield from _different(one.get(key), other.get(key), f"{path}.{key}" if path else key)
    elif one != other:
        yield path


def _neutral(templates):
    """Return the properties of each resource, without names that contain the environment's own.

    The API is left out, which an environment has only if it asks for it.
    """
    name = templates.environment.name
    text = json.dumps(
        {
            f"{item.stage}/{item.id}": [item.kind, item.properties]
            for item in templates.resources
            if item.kind not in MAY_BE_ABSENT
            and item.stage != "api"
            and not item.id.startswith("WebAcl")
            and not f"{item.stage}/{item.id}".startswith(ALARMS_OF_THE_EDGE)
        }
    )
    for own, neutral in (
        (f"vitrine-{name}-", "vitrine-ENV-"),
        (f"vitrine{name}", "vitrineENV"),
        (f'"Namespace": "Vitrine/{name}"', '"Namespace": "Vitrine/ENV"'),
        (f'"Key": "env", "Value": "{name}"', '"Key": "env", "Value": "ENV"'),
        (templates.environment.region, "REGION"),
        (templates.environment.prefix_list_id.replace("-", ""), "PREFIXLIST"),
    ):
        text = text.replace(own, neutral)
    # It is as large as the converters take, and those differ.
    text = re.sub(r"(MaxConcurrency\W+)\d+", r"\1 0", text)
    # Logical ids end in a hash over names that contain the environment's.
    return json.loads(re.sub(r"(?<=[A-Za-z0-9])[0-9A-F]{8,}", "", text))


@pytest.mark.parametrize("name", ["staging", "prod"])
def test_environments_differ_only_where_they_may(name, dev, synthesize):
    ours, theirs = _neutral(dev), _neutral(synthesize(ENVIRONMENTS[name]))
    assert ours.keys() == theirs.keys()
    for key, (kind, properties) in ours.items():
        for path in _different(properties, theirs[key][1]):
            allowed = MAY_DIFFER.get(kind, set())
            assert any(path == item or path.startswith(f"{item}.") for item in allowed), (
                f"{key} ({kind}) differs in {path}"
            )


def test_dev_is_one_stack_per_stage_and_each_needs_only_those_before_it(dev):
    assert set(dev.stages) == set(STAGES)
    for stack in dev.assembly.stacks:
        place = STAGES.index(stack.stack_name.rpartition("-")[2])
        needed = {item.id.rpartition("-")[2] for item in stack.dependencies} & set(STAGES)
        assert needed <= set(STAGES[:place]), stack.stack_name


def test_nothing_is_looked_up_in_the_account(templates):
    manifest = json.loads((templates.folder / "manifest.json").read_text())
    assert not manifest.get("missing")


def test_stacks_say_where_things_are(templates):
    for stage, names in OUTPUTS.items():
        if stage == "api" and not templates.environment.api:
            continue
        outputs = templates.stages[stage].get("Outputs", {})
        assert names == {name for name in outputs if not name.startswith(FOR_STACKS)}, stage


def test_dev_needs_nothing_that_one_machine_lacks(dev):
    assert "Custom::" not in json.dumps(dev.stages)
    for path in dev.files:
        assert path.stat().st_size <= 1_000_000, f"{path.name} is more than CloudFormation takes"


def test_prod_is_protected_and_dev_can_be_removed(dev, prod):
    assert all(stack.termination_protection for stack in prod.assembly.stacks)
    assert not any(stack.termination_protection for stack in dev.assembly.stacks)
    balancer = prod.one("AWS::ElasticLoadBalancingV2::LoadBalancer").properties
    attributes = {item["Key"]: item["Value"] for item in balancer["LoadBalancerAttributes"]}
    assert attributes["deletion_protection.enabled"] == "true"
    for table in dev.of("AWS::DynamoDB::GlobalTable"):
        assert table.body["DeletionPolicy"] == "Delete"


def test_every_table_has_a_ceiling(templates):
    for table in templates.of("AWS::DynamoDB::GlobalTable"):
        writes = table.properties["WriteOnDemandThroughputSettings"]
        assert writes["MaxWriteRequestUnits"] > 0, table.id
        for replica in table.properties["Replicas"]:
            reads = replica["ReadOnDemandThroughputSettings"]
            assert reads["MaxReadRequestUnits"] > 0, table.id


def test_physical_names_are_left_to_cloudformation(templates):
    named = {
        "AWS::S3::Bucket": "BucketName",
        "AWS::DynamoDB::GlobalTable": "TableName",
        "AWS::SQS::Queue": "QueueName",
        "AWS::Lambda::Function": "FunctionName",
        "AWS::IAM::Role": "RoleName",
        "AWS::StepFunctions::StateMachine": "StateMachineName",
        "AWS::Logs::LogGroup": "LogGroupName",
    }
    for resource in templates.resources:
        name = resource.properties.get(named.get(resource.kind, ""))
        # A name that its stack's id makes unique is as good.
        assert not name or "AWS::StackId" in json.dumps(name), resource.id


@pytest.mark.slow
def test_no_template_contains_the_account_that_dev_comes_with(operated):
    assert operated.environment.account != ENVIRONMENTS["dev"].account
    assert ENVIRONMENTS["dev"].account not in json.dumps(operated.stages)


def test_processes_get_every_setting_that_they_read_and_no_other(templates):
    def names(settings):
        return {f"VITRINE_{item.name.upper()}" for item in fields(settings)}

    of_stage = {"present": PresentSettings, "edge": InvalidateSettings}
    for function in templates.of("AWS::Lambda::Function"):
        expected = of_stage.get(function.stage, IngestSettings)
        if function.id.startswith(("PublishObjects", "UpdateCollections")):
            expected = PublishSettings
        if function.id.startswith("CountVisits"):
            expected = StatisticsSettings
        if function.id.startswith(("RecordChanges", "WriteDumps", "UpdateSearch", "SearchContent")):
            expected = SiteSettings
        if function.id.startswith("AnswerRequest"):
            expected = ApiSettings
        given = function.properties["Environment"]["Variables"]
        assert {name for name in given if name.startswith("VITRINE_")} == names(expected)
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    for container in task["ContainerDefinitions"]:
        assert {item["Name"] for item in container["Environment"]} == names(DeliverSettings)


@pytest.mark.slow
def test_every_resource_that_takes_tags_has_them(operated):
    templates = operated
    expected = {"app": "vitrine", "env": "dev", "cost-center": "vitrine", "department": "Prints"}
    for kind in ("AWS::S3::Bucket", "AWS::Lambda::Function", "AWS::SQS::Queue", "AWS::IAM::Role"):
        for resource in templates.of(kind):
            tags = {item["Key"]: item["Value"] for item in resource.properties["Tags"]}
            assert expected.items() <= tags.items(), resource.id
    for stack in templates.assembly.stacks:
        assert stack.tags == expected


@pytest.mark.slow
def test_a_permissions_boundary_bounds_every_role(operated):
    for role in operated.of("AWS::IAM::Role"):
        assert role.properties["PermissionsBoundary"] == OPERATED["permissions_boundary"], role.id
