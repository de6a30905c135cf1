"""An AWS account that is asked what it has."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from vitrine.account.ports import AccountSilent, Certificate, DeployedStack, StackStays
from vitrine.adapters.aws.access import AwsAccess

BOOTSTRAP_VERSION = "/cdk-bootstrap/hnb659fds/version"
"""Parameter that the CDK's bootstrap stack leaves behind; `hnb659fds` is its default qualifier."""
ORIGIN_FACING = "com.amazonaws.global.cloudfront.origin-facing"
ABSENT = {"NotFoundException", "ParameterNotFound", "ResourceNotFoundException"}


EDGE_REGION = "us-east-1"
"""CloudFront's own."""
_EDGE: tuple[tuple[str, str, dict[str, str]], ...] = (
    *(
        (f"AWS::CloudFront::{name}", call, {"Type": "custom"})
        for name, call in (
            ("CachePolicy", "list_cache_policies"),
            ("OriginRequestPolicy", "list_origin_request_policies"),
            ("ResponseHeadersPolicy", "list_response_headers_policies"),
        )
    ),
    # Each function once: it has this stage, and after its publication another.
    ("AWS::CloudFront::Function", "list_functions", {"Stage": "DEVELOPMENT"}),
    ("AWS::CloudFront::KeyValueStore", "list_key_value_stores", {}),
    ("AWS::CloudFront::OriginAccessControl", "list_origin_access_controls", {}),
    ("AWS::CloudFront::VpcOrigin", "list_vpc_origins", {}),
    ("AWS::CloudFront::Distribution", "list_distributions", {}),
)
"""Types, the calls that list their resources, and what to ask for."""


class AwsAccount:
    """The account of the credentials that `access` finds for a region."""

    def __init__(self, access: Callable[[str], AwsAccess], home: str) -> None:
        self._access = access
        self._home = home

    def identity(self) -> str:
        """Return the twelve digits of the account."""
        with _translate_silence("who is signed in"):
            return str(self._make_client("sts", self._home).get_caller_identity()["Account"])

    def bootstrap_version(self, region: str) -> int | None:
        """Return the version of the CDK's bootstrap stack in a region, None without one."""
        with _translate_silence("the bootstrap"):
            found = _unless_absent(
                lambda: self._make_client("ssm", region).get_parameter(Name=BOOTSTRAP_VERSION)
            )
        return int(found["Parameter"]["Value"]) if found else None

    def regions(self) -> tuple[str, ...]:
        """Return the names of the regions that the account can use."""
        with _translate_silence("the regions"):
            answer = self._make_client("ec2", self._home).describe_regions()
        return tuple(sorted(item["RegionName"] for item in answer["Regions"]))

    def stacks(self, region: str) -> tuple[DeployedStack, ...]:
        """Return all stacks in a region."""
        with _translate_silence(f"the stacks in {region}"):
            pages = self._make_client("cloudformation", region).get_paginator("describe_stacks")
            return tuple(
                DeployedStack(name=item["StackName"], created=item["CreationTime"])
                for page in pages.paginate()
                for item in page["Stacks"]
            )

    def template(self, region: str, stack: str) -> Mapping[str, Any]:
        """Return the template that a stack was deployed with."""
        with _translate_silence(f"the template of {stack}"):
            body = self._make_client("cloudformation", region).get_template(StackName=stack)
        template: Mapping[str, Any] | str = body["TemplateBody"]
        return json.loads(template) if isinstance(template, str) else template

    def delete_stack(self, region: str, stack: str) -> None:
        """Delete a stack, protected or not, and wait until it is gone. Raises StackStays."""
        client = self._make_client("cloudformation", region)
        try:
            client.update_termination_protection(StackName=stack, EnableTerminationProtection=False)
            client.delete_stack(StackName=stack)
            client.get_waiter("stack_delete_complete").wait(StackName=stack)
        except (BotoCoreError, ClientError) as error:
            raise StackStays(f"{stack} in {region} was not deleted: {error}") from error

    def concurrency(self, region: str) -> int:
        """Return how many Lambdas may run at the same time."""
        with _translate_silence("Lambda's limits"):
            limits = self._make_client("lambda", region).get_account_settings()["AccountLimit"]
        return int(limits["ConcurrentExecutions"])

    def quota(self, region: str, service: str, code: str) -> float:
        """Return the value of a quota as Service Quotas has it."""
        with _translate_silence(f"the quota {code}"):
            answer = self._make_client("service-quotas", region).get_service_quota(
                ServiceCode=service, QuotaCode=code
            )
        return float(answer["Quota"]["Value"])

    def edge_resources(self) -> Mapping[str, int]:
        """Return the number of CloudFront's resources that have a quota, by type."""
        client = self._make_client("cloudfront", EDGE_REGION)
        with _translate_silence("CloudFront's resources"):
            return {
                kind: _count_items(getattr(client, call), **options)
                for kind, call, options in _EDGE
            }

    def stack_resources(self, region: str, stack: str) -> Mapping[str, int]:
        """Return the number of a stack's resources by type; nothing for one that does not exist."""
        pages = self._make_client("cloudformation", region).get_paginator("list_stack_resources")
        with _translate_silence(f"the resources of {stack}"):
            try:
                return Counter(
                    item["ResourceType"]
                    for page in pages.paginate(StackName=stack)
                    for item in page["StackResourceSummaries"]
                )
            except ClientError as error:
                # CloudFormation has no code of its own for a stack that does not exist.
                if error.response["Error"].get("Code") == "ValidationError":
                    return {}
                raise

    def cloudfront_prefix_list(self, region: str) -> str:
        """Return the prefix list of CloudFront's addresses towards origins, "" if none."""
        with _translate_silence("the prefix lists"):
            answer = self._make_client("ec2", region).describe_managed_prefix_lists(
                Filters=[{"Name": "prefix-list-name", "Values": [ORIGIN_FACING]}]
            )
        found = [item["PrefixListId"] for item in answer["PrefixLists"]]
        return str(found[0]) if found else ""

    def zones(self, region: str) -> tuple[str, ...]:
        """Return the names of the availability zones that can be used."""
        with _translate_silence("the availability zones"):
            answer = self._make_client("ec2", region).describe_availability_zones()
        return tuple(
            sorted(
                item["ZoneName"]
                for item in answer["AvailabilityZones"]
                if item["State"] == "available"
                and item.get("ZoneType", "availability-zone") == "availability-zone"
            )
        )

    def key_policy(self, arn: str) -> Mapping[str, Any] | None:
        """Return the policy of a KMS key, None unless it exists and is enabled."""
        client = self._make_client("kms", arn.split(":")[3])
        with _translate_silence("the key's policy"):
            found = _unless_absent(lambda: client.describe_key(KeyId=arn))
            if not found or not found["KeyMetadata"]["Enabled"]:
                return None
            policy: Mapping[str, Any] = json.loads(
                client.get_key_policy(KeyId=arn, PolicyName="default")["Policy"]
            )
            return policy

    def certificate(self, arn: str, region: str) -> Certificate | None:
        """Return a certificate, None if there is no such one in that region."""
        with _translate_silence("the certificate"):
            found = _unless_absent(
                lambda: self._make_client("acm", region).describe_certificate(CertificateArn=arn)
            )
        if not found:
            return None
        one = found["Certificate"]
        names = one.get("SubjectAlternativeNames") or [one["DomainName"]]
        return Certificate(status=one["Status"], names=tuple(names))

    def _make_client(self, service: str, region: str) -> Any:
        return self._access(region).client(service)


def _count_items(call: Callable[..., dict[str, Any]], **options: str) -> int:
    """Return how many items there are on all pages of a list of CloudFront."""
    count, marker = 0, ""
    while True:
        answer = call(**options, **({"Marker": marker} if marker else {}))
        [page] = (value for name, value in answer.items() if name != "ResponseMetadata")
        count += len(page.get("Items", ()))
        marker = page.get("NextMarker", "")
        if not marker:
            return count


def _unless_absent(call: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
    try:
        return call()
    except ClientError as error:
        if error.response["Error"].get("Code") in ABSENT:
            return None
        raise


@contextmanager
def _translate_silence(what: str) -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise AccountSilent(f"AWS did not say {what}: {error}") from error
