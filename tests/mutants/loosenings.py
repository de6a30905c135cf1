"""Ways to loosen a deployed template: what a careless change could do to its promises."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Body = dict[str, Any]
DELETE = object()
"""In place of a value: the property is removed."""


@dataclass(frozen=True)
class Rule:
    """For resources of a type: the property at a path becomes another value."""

    kind: str
    type: str
    path: str
    """Names with dots; `*` is each key or each place of a list."""
    becomes: Any
    """A value, DELETE, or a function of the old value."""


def _times(factor: float) -> Callable[[Any], Any]:
    return lambda value: type(value)(value * factor)


def _swap(first: str, second: str) -> Callable[[Any], Any]:
    return lambda value: value.replace(first, second) if first in value else value


_BUCKET, _QUEUE = "AWS::S3::Bucket", "AWS::SQS::Queue"
_TABLE, _FUNCTION = "AWS::DynamoDB::GlobalTable", "AWS::Lambda::Function"
_ALARM, _TASK = "AWS::CloudWatch::Alarm", "AWS::ECS::TaskDefinition"
_SERVICE, _EDGE = "AWS::ECS::Service", "AWS::CloudFront::Distribution"
_TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
_POLICY, _SCALING = "AWS::IAM::Policy", "AWS::ApplicationAutoScaling::ScalingPolicy"
_TRACKING = "Properties.TargetTrackingScalingPolicyConfiguration"
_CONTAINER, _CONFIG = "Properties.ContainerDefinitions.*", "Properties.DistributionConfig"
_STATEMENT = "Properties.PolicyDocument.Statement.*"

RULES = (
    Rule("exposure", _BUCKET, "Properties.PublicAccessBlockConfiguration.*", False),
    Rule("exposure", _EDGE, f"{_CONFIG}.WebACLId", DELETE),
    Rule("exposure", _EDGE, f"{_CONFIG}.CacheBehaviors.*.ViewerProtocolPolicy", "allow-all"),
    Rule("exposure", _EDGE, f"{_CONFIG}.DefaultCacheBehavior.ViewerProtocolPolicy", "allow-all"),
    Rule("exposure", "AWS::ElasticLoadBalancingV2::LoadBalancer", "Properties.Scheme", DELETE),
    Rule("exposure", "AWS::EC2::Subnet", "Properties.MapPublicIpOnLaunch", True),
    Rule("exposure", "AWS::S3::BucketPolicy", f"{_STATEMENT}.Condition", DELETE),
    Rule("encryption", _BUCKET, "Properties.BucketEncryption", DELETE),
    Rule("encryption", _QUEUE, "Properties.SqsManagedSseEnabled", False),
    Rule("encryption", "AWS::KMS::Key", "Properties.EnableKeyRotation", False),
    Rule("privilege", _POLICY, f"{_STATEMENT}.Resource", "*"),
    Rule("privilege", _POLICY, f"{_STATEMENT}.Condition", DELETE),
    Rule("privilege", _POLICY, f"{_STATEMENT}.Action", "s3:*"),
    Rule("confinement", _TASK, f"{_CONTAINER}.ReadonlyRootFilesystem", False),
    Rule("confinement", _TASK, f"{_CONTAINER}.User", "root"),
    Rule("confinement", _TASK, f"{_CONTAINER}.LinuxParameters.Capabilities", DELETE),
    Rule("durability", _BUCKET, "DeletionPolicy", "Delete"),
    Rule("durability", _BUCKET, "Properties.VersioningConfiguration", DELETE),
    Rule("durability", _TABLE, "DeletionPolicy", "Delete"),
    Rule("durability", _TABLE, "Properties.Replicas.*.DeletionProtectionEnabled", False),
    Rule("durability", _TABLE, "Properties.Replicas.*.PointInTimeRecoverySpecification", DELETE),
    Rule("durability", _QUEUE, "Properties.MessageRetentionPeriod", 60),
    Rule("durability", "AWS::Events::Rule", "Properties.State", "DISABLED"),
    Rule("durability", "AWS::Events::Rule", "Properties.Targets.*.DeadLetterConfig", DELETE),
    Rule("durability", "AWS::Logs::LogGroup", "Properties.RetentionInDays", DELETE),
    Rule("retries", _QUEUE, "Properties.RedrivePolicy.maxReceiveCount", 1),
    Rule("retries", _QUEUE, "Properties.VisibilityTimeout", 1),
    Rule("retries", "AWS::Lambda::EventSourceMapping", "Properties.FunctionResponseTypes", DELETE),
    Rule("retries", "AWS::Events::Rule", "Properties.Targets.*.RetryPolicy", DELETE),
    Rule("retries", _FUNCTION, "Properties.Timeout", 3),
    Rule("retries", _FUNCTION, "Properties.MemorySize", 128),
    Rule("scaling", _TARGET, "Properties.MinCapacity", 0),
    Rule("scaling", _TARGET, "Properties.MaxCapacity", 1),
    Rule("scaling", _SCALING, f"{_TRACKING}.TargetValue", 99),
    Rule("scaling", _SERVICE, "Properties.DeploymentConfiguration.MinimumHealthyPercent", 0),
    Rule(
        "scaling",
        _SERVICE,
        "Properties.DeploymentConfiguration.DeploymentCircuitBreaker.Rollback",
        False,
    ),
    Rule("scaling", _TASK, f"{_CONTAINER}.HealthCheck", DELETE),
    Rule("scaling", _TASK, f"{_CONTAINER}.StopTimeout", 2),
    Rule("alarms", _ALARM, "Properties.Threshold", _times(100)),
    Rule("alarms", _ALARM, "Properties.AlarmActions", DELETE),
    Rule("alarms", _ALARM, "Properties.TreatMissingData", _swap("breaching", "ignore")),
    Rule("alarms", _ALARM, "Properties.ComparisonOperator", _swap("Greater", "Less")),
    Rule("alarms", _ALARM, "Properties.ComparisonOperator", _swap("Less", "Greater")),
    Rule("alarms", _ALARM, "Properties.EvaluationPeriods", _times(10)),
)


@dataclass(frozen=True)
class Loosening:
    """One rule, applied at one place of one resource."""

    kind: str
    stage: str
    resource: str
    place: tuple[str | int, ...]
    rule: Rule

    def describe(self) -> str:
        """Return a line that says what is changed."""
        what = "deleted" if self.rule.becomes is DELETE else "changed"
        return f"{self.stage} {self.resource}: {'.'.join(map(str, self.place))} {what}"

    def apply(self, stages: dict[str, Body]) -> Callable[[], None]:
        """Change templates by stage; return what undoes that. Nothing where it has no place."""
        resources = stages.get(self.stage, {}).get("Resources", {})
        if self.resource not in resources:
            return lambda: None
        before = resources[self.resource]
        changed = copy.deepcopy(before)
        try:
            _change(changed, self.place, self.rule.becomes)
        except (KeyError, IndexError, TypeError):
            return lambda: None
        resources[self.resource] = changed

        def undo() -> None:
            resources[self.resource] = before

        return undo


def loosenings(stages: dict[str, Body]) -> Iterator[Loosening]:
    """Yield every loosening that changes these templates."""
    for stage, template in stages.items():
        for name, body in template.get("Resources", {}).items():
            for rule in RULES:
                if rule.type != body["Type"]:
                    continue
                for place in _places(body, rule.path.split(".")):
                    changed = copy.deepcopy(body)
                    _change(changed, place, rule.becomes)
                    if changed != body:
                        yield Loosening(rule.kind, stage, name, place, rule)


def _places(value: Any, path: list[str]) -> Iterator[tuple[str | int, ...]]:
    """Yield the places that a path leads to."""
    if not path:
        yield ()
        return
    name, rest = path[0], path[1:]
    found: list[tuple[str | int, Any]] = []
    if name == "*" and isinstance(value, dict):
        found = list(value.items())
    elif name == "*" and isinstance(value, list):
        found = list(enumerate(value))
    elif isinstance(value, dict) and name in value:
        found = [(name, value[name])]
    for key, inner in found:
        yield from ((key, *deeper) for deeper in _places(inner, rest))


def _change(body: Any, place: tuple[str | int, ...], becomes: Any) -> None:
    for key in place[:-1]:
        body = body[key]
    last = place[-1]
    if becomes is DELETE:
        del body[last]
    else:
        body[last] = becomes(body[last]) if callable(becomes) else becomes
