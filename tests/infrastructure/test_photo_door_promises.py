"""The photo door, in an environment that asks for one."""

import json
from dataclasses import replace

import pytest

from stacks.designs import DEV
from stacks.flavours import take_flavour
from vitrine.settings import PhotoOptions


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
    counting = {action for action, text in _role(opened) if "PhotoUses" in text}
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


def test_a_door_without_tasks_or_without_an_api_is_refused():
    with pytest.raises(ValueError, match="photos"):
        replace(DEV, photos=PhotoOptions(), api=None)
    with pytest.raises(ValueError, match="photos"):
        take_flavour(replace(DEV, photos=PhotoOptions()), "serverless")
