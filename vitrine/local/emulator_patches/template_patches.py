"""Patches of ministack's CloudFormation; the package says what a patch is."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

ACCEPTED_TYPES = (
    "AWS::ApplicationAutoScaling::ScalableTarget",
    "AWS::ApplicationAutoScaling::ScalingPolicy",
    "AWS::Budgets::Budget",
    "AWS::CloudFront::MonitoringSubscription",
    "AWS::CloudFront::VpcOrigin",
    "AWS::CloudWatch::CompositeAlarm",
    "AWS::EC2::EIP",
    "AWS::EC2::FlowLog",
    "AWS::EC2::NatGateway",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::Logs::Delivery",
    "AWS::Logs::DeliveryDestination",
    "AWS::Logs::DeliverySource",
    "AWS::Logs::QueryDefinition",
    "AWS::ServiceCatalogAppRegistry::Application",
    "AWS::WAFv2::LoggingConfiguration",
    "AWS::WAFv2::WebACLAssociation",
)
"""Resource types that ministack does not know, and that nothing on one machine uses."""


def patches() -> dict[str, Callable[[], None]]:
    """Return the patches by name."""
    return {
        "accept_types": accept_types,
        "keep_container_properties": keep_container_properties,
    }


def accept_types() -> None:
    """Accept the resource types in `ACCEPTED_TYPES`, and create nothing for them.

    ministack: rejects a template with a type that it does not know ("Unrecognized resource types").
    AWS: provides all of them (CloudFormation, "AWS resource and property types reference"); what
    they do does not happen on one machine.
    Symptom: no stack with a network, a scaling policy or a VPC origin can be deployed.
    """
    provisioners: Any = import_module("ministack.services.cloudformation.provisioners")

    def create(logical_id: str, properties: Any, stack: str) -> tuple[str, dict[str, str]]:
        name = f"{stack}-{logical_id}"
        return name, {"Id": name, "Arn": f"arn:aws:accepted:::{name}", "AllocationId": name}

    for type_ in ACCEPTED_TYPES:
        provisioners._RESOURCE_HANDLERS.setdefault(
            type_, {"create": create, "delete": lambda name, properties: None}
        )


def keep_container_properties() -> None:
    """Describe all properties of the containers of a task definition that a template made.

    ministack: `_normalize_container_defs` in `services/cloudformation/provisioners.py` turns only
    some nested names into the API's form; those inside DependsOn, HealthCheck and others stay as
    templates write them.
    AWS: DescribeTaskDefinition returns what was registered, in camel case (ECS, API reference).
    Symptom: SDKs drop the unknown names; a container's dependencies are empty.
    """
    provisioners: Any = import_module("ministack.services.cloudformation.provisioners")
    normalize = provisioners._normalize_container_defs
    provisioners._normalize_container_defs = lambda containers: provisioners._pascal_to_camel(
        normalize(containers)
    )
