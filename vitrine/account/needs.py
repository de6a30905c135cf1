"""What the templates of an environment need of an account, read from the templates themselves."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NEW_ACCOUNT = 1_000
"""Lambdas at once that an account has once AWS has lifted the quotas of a new one."""


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What one environment needs of its account."""

    account: str
    region: str
    regions: tuple[str, ...]
    """All regions that a stack is deployed to."""
    stacks: tuple[tuple[str, str], ...]
    """Region and name of each."""
    bootstrap_version: int
    """Least version of the CDK's bootstrap stack."""
    reservations: Mapping[str, int]
    """Concurrency that functions reserve, by their steps."""
    lambda_mebibytes: int
    """Memory of the largest Lambda."""
    least_vcpus: float
    """Fargate's, while nothing happens."""
    most_vcpus: float
    prefix_lists: tuple[str, ...]
    zones: tuple[str, ...]
    images: int
    """Container images that are built where the deployment is made."""
    unpinned_images: int = 0
    """Number of these images whose base image or packages are not pinned: their build refuses."""
    architecture: str
    domain_names: tuple[str, ...] = ()
    certificate: str = ""
    balancer_certificate: str = ""
    """Certificate of the load balancer, in the environment's region."""
    keys: tuple[str, ...] = ()
    """ARNs of the operator's own KMS keys."""
    hosted_zones: tuple[str, ...] = ()
    """Zones into which the domain is entered."""
    alarm_addresses: tuple[str, ...] = ()
    edge_resources: Mapping[str, int] = field(default_factory=dict)
    """Resources of CloudFront, by their types."""
    edge_stacks: tuple[tuple[str, str], ...] = ()
    """Region and name of the stacks that have these."""
    counting_firewall: tuple[str, str] | None = None
    """Region and name of the stack whose web ACL stops no flood, but counts what it would stop."""

    @property
    def environment(self) -> str:
        """Name of the environment, which is in the names of its stacks."""
        return self.stacks[0][1].partition("-")[2].rpartition("-")[0]


@dataclass(frozen=True)
class _Resource:
    id: str
    kind: str
    properties: Mapping[str, Any]


def read_needs(assembly: Path, region: str) -> Needs:
    """Return what the templates in a folder of `cdk synth` need; `region` is the environment's.

    Raises FileNotFoundError.
    """
    artifacts = json.loads((assembly / "manifest.json").read_text())["artifacts"]
    stacks = {name: item for name, item in artifacts.items() if item["type"] == _STACK}
    places = [item["environment"].removeprefix("aws://").split("/") for item in stacks.values()]
    templates = [
        _read_resources(assembly / stack["properties"]["templateFile"]) for stack in stacks.values()
    ]
    resources = _list_resources(templates)
    functions = _properties_of(resources, "AWS::Lambda::Function")
    images = [image for path in assembly.glob("*.assets.json") for image in _build_arguments(path)]
    least, most = _fargate_vcpus(resources)
    named = {
        (place[1], stack["properties"].get("stackName", name)): template
        for place, (name, stack), template in zip(places, stacks.items(), templates, strict=True)
    }
    edges = _properties_of(resources, _DISTRIBUTION)
    distributions = [item["DistributionConfig"] for item in edges]
    return Needs(
        account=places[0][0],
        region=region,
        regions=tuple(sorted({place[1] for place in places})),
        stacks=tuple((place[1], name) for name, place in zip(stacks, places, strict=True)),
        bootstrap_version=_bootstrap_version(stacks.values()),
        reservations=_count_reservations(functions),
        lambda_mebibytes=max(item["MemorySize"] for item in functions),
        least_vcpus=least,
        most_vcpus=most,
        prefix_lists=tuple(sorted(set(_prefix_lists(resources)))),
        zones=_sort_distinct(
            item.get("AvailabilityZone") for item in _properties_of(resources, _SUBNET)
        ),
        images=len(images),
        unpinned_images=sum(not image.keys() >= PINS for image in images),
        architecture=functions[0]["Architectures"][0],
        domain_names=_sort_distinct(
            name for item in distributions for name in item.get("Aliases", ())
        ),
        certificate=next((_certificate_arn(item) for item in distributions), ""),
        balancer_certificate=_balancer_certificate(resources),
        keys=_find_keys(resources),
        hosted_zones=_sort_distinct(
            item.get("HostedZoneId")
            for item in _properties_of(resources, "AWS::Route53::RecordSet")
        ),
        alarm_addresses=_alarm_addresses(resources),
        edge_resources=sum(map(_count_edge, templates), Counter()),
        edge_stacks=tuple(place for place, template in named.items() if _count_edge(template)),
        counting_firewall=_find_counting_firewall(named),
    )


def _list_resources(templates: Iterable[Mapping[str, Any]]) -> list[_Resource]:
    return [
        _Resource(name, body["Type"], body.get("Properties", {}))
        for template in templates
        for name, body in template.items()
    ]


def _bootstrap_version(stacks: Iterable[Mapping[str, Any]]) -> int:
    return max(int(stack["properties"].get("requiresBootstrapStackVersion", 0)) for stack in stacks)


PINS = {"BASE", "SNAPSHOT"}
"""Arguments of a Dockerfile that say what it is built from."""
ALARMS = "Alarms"
"""Part of the logical id of the topic of all alarms."""
_STACK = "aws:cloudformation:stack"
_DISTRIBUTION = "AWS::CloudFront::Distribution"
_SUBNET = "AWS::EC2::Subnet"
SOURCE = "SourcePrefixListId"
_RULES = ("AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupIngress")


def _read_resources(template: Path) -> dict[str, dict[str, Any]]:
    resources: dict[str, dict[str, Any]] = json.loads(template.read_text()).get("Resources", {})
    return resources


def _count_edge(template: Mapping[str, Mapping[str, Any]]) -> Counter[str]:
    kinds = (body["Type"] for body in template.values())
    return Counter(kind for kind in kinds if kind.startswith("AWS::CloudFront::"))


def _find_counting_firewall(
    templates: Mapping[tuple[str, str], Mapping[str, Mapping[str, Any]]],
) -> tuple[str, str] | None:
    counting = (
        at for at, template in templates.items() if any(map(_counts_floods, template.values()))
    )
    return next(counting, None)


def _counts_floods(resource: Mapping[str, Any]) -> bool:
    return resource["Type"] == "AWS::WAFv2::WebACL" and any(
        "RateBasedStatement" in rule["Statement"] and "Count" in rule["Action"]
        for rule in resource["Properties"]["Rules"]
    )


def _properties_of(resources: Iterable[_Resource], kind: str) -> list[Mapping[str, Any]]:
    return [item.properties for item in resources if item.kind == kind]


def _sort_distinct(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({value for value in values if value}))


def _count_reservations(functions: Iterable[Mapping[str, Any]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for function in functions:
        if reserved := function.get("ReservedConcurrentExecutions"):
            # The image function, which is a container image, has no such variable.
            variables = function["Environment"]["Variables"]
            found[variables.get("POWERTOOLS_SERVICE_NAME", "serve_images")] += reserved
    return found


def _certificate_arn(distribution: Mapping[str, Any]) -> str:
    return str(distribution.get("ViewerCertificate", {}).get("AcmCertificateArn", ""))


def _alarm_addresses(resources: Iterable[_Resource]) -> tuple[str, ...]:
    return _sort_distinct(
        item.get("Endpoint")
        for item in _properties_of(resources, "AWS::SNS::Subscription")
        if ALARMS in json.dumps(item["TopicArn"])
    )


def _find_keys(resources: Iterable[_Resource]) -> tuple[str, ...]:
    return _sort_distinct(
        rule["ServerSideEncryptionByDefault"].get("KMSMasterKeyID")
        for item in _properties_of(resources, "AWS::S3::Bucket")
        for rule in item["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    )


def _balancer_certificate(resources: Iterable[_Resource]) -> str:
    listeners = _properties_of(resources, "AWS::ElasticLoadBalancingV2::Listener")
    arns = [one["CertificateArn"] for item in listeners for one in item.get("Certificates", ())]
    return arns[0] if arns else ""


def _prefix_lists(resources: Iterable[_Resource]) -> Iterator[str]:
    for kind in _RULES:
        for item in _properties_of(resources, kind):
            rules = [item, *item.get("SecurityGroupIngress", ())]
            yield from (
                rule["SourcePrefixListId"] for rule in rules if "SourcePrefixListId" in rule
            )


def _build_arguments(manifest: Path) -> list[dict[str, str]]:
    """Return the arguments of each container image's build."""
    images = json.loads(manifest.read_text()).get("dockerImages", {}).values()
    return [image["source"].get("dockerBuildArgs", {}) for image in images]


def _fargate_vcpus(resources: list[_Resource]) -> tuple[float, float]:
    """Return the virtual CPUs of the fewest tasks and of the most.

    All tasks that convert giants, as many as the pipeline allows at the same time, are among the
    most; none of them runs while nothing happens.
    """
    sizes = {
        item.id: int(item.properties["Cpu"]) / 1024
        for item in resources
        if item.kind == "AWS::ECS::TaskDefinition"
    }
    least = most = 0.0
    # None where a Lambda serves the images.
    for service in _properties_of(resources, "AWS::ECS::Service"):
        (target,) = _properties_of(resources, "AWS::ApplicationAutoScaling::ScalableTarget")
        serving = sizes.pop(service["TaskDefinition"]["Ref"])
        least, most = target["MinCapacity"] * serving, target["MaxCapacity"] * serving
    giants = max(
        int(item.get("Environment", {}).get("Variables", {}).get("VITRINE_GIANTS_AT_ONCE", 0))
        for item in _properties_of(resources, "AWS::Lambda::Function")
    )
    return least, most + giants * sum(sizes.values())
