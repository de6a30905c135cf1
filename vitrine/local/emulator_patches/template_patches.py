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
        "accept_alarms_of_expressions": accept_alarms_of_expressions,
        "keep_container_properties": keep_container_properties,
        "escape_fixed_responses": escape_fixed_responses,
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


def accept_alarms_of_expressions() -> None:
    """Keep an alarm of an expression as an alarm of that expression's name.

    ministack: `_cw_metric_alarm_record` in `services/cloudformation/provisioners.py` rejects an
    alarm with `Metrics` ("metric math is not supported").
    AWS: watches the expression (CloudFormation, AWS::CloudWatch::Alarm). No alarm rings here.
    Symptom: no stack with an alarm on a share of errors can be deployed.
    """
    provisioners: Any = import_module("ministack.services.cloudformation.provisioners")
    record = provisioners._cw_metric_alarm_record

    def record_expression(name: str, properties: dict[str, Any]) -> Any:
        if properties.get("Metrics"):
            plain = {key: value for key, value in properties.items() if key != "Metrics"}
            properties = {"MetricName": name, "Namespace": "Expressions", "Period": 60, **plain}
            properties.setdefault("Statistic", "Sum")
        return record(name, properties)

    provisioners._cw_metric_alarm_record = record_expression


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


def escape_fixed_responses() -> None:
    """Describe what a listener answers itself in XML that can be parsed.

    ministack: `_action_xml` in `services/alb.py` writes `MessageBody` as it is, tags and all.
    AWS: DescribeRules returns well-formed XML (Elastic Load Balancing, API reference).
    Symptom: SDKs cannot parse the rules of a listener that answers with a page.
    """
    balancers: Any = import_module("ministack.services.alb")
    describe = balancers._action_xml

    def describe_escaped(action: dict[str, Any]) -> str:
        answer = action.get("FixedResponseConfig")
        if answer:
            escaped = balancers._esc(answer.get("MessageBody", ""))
            action = {**action, "FixedResponseConfig": {**answer, "MessageBody": escaped}}
        return str(describe(action))

    balancers._action_xml = describe_escaped
