"""The base of all stacks of an environment."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import jsii
from aws_cdk import aws_kms as kms
from constructs import Construct, IConstruct

from stacks.environments import Environment

REPOSITORY = Path(__file__).resolve().parents[1]
GLOBAL_REGION = "us-east-1"
"""The region where CloudFront looks for web ACLs and certificates, and from which it logs."""


def tags_of(environment: Environment) -> dict[str, str]:
    """Return the tags on every resource and every stack."""
    ours = {"app": "vitrine", "env": environment.name, "cost-center": "vitrine"}
    return ours | dict(environment.tags)


def operators_key(scope: Construct) -> kms.IKey | None:
    """Return the operator's key for what is in the stack of `scope`, None without one.

    Its policy alone says who may use it: no role of ours has a right to it.
    """
    stack = cdk.Stack.of(scope)
    return stack.key if isinstance(stack, StageStack) else None


def let_go(*constructs: IConstruct) -> None:
    """Have every stack read these weakly: they may change and go, or are in another region."""
    for construct in constructs:
        cdk.CrossStackReferences.of(construct).produce(cdk.ReferenceStrength.WEAK)


class StageStack(cdk.Stack):
    """The stack of one stage: named, tagged, bounded and protected as its environment says."""

    def __init__(
        self,
        scope: Construct,
        stage: str,
        *,
        environment: Environment,
        region: str | None = None,
        reads_weakly: bool = False,
        key_arn: str | None = None,
        **options: Any,
    ) -> None:
        """`key_arn`: a key of the operator's in a region other than the environment's.
        `reads_weakly`: other stacks may change and remove what this one reads of them, or are in
        another region (Fn::GetStackOutput; docs/adr/0041)."""
        self._zones = list(environment.availability_zones)
        boundary = environment.permissions_boundary
        name = f"vitrine-{environment.name}-{stage}"
        super().__init__(
            scope,
            name,
            stack_name=name,
            env=cdk.Environment(account=environment.account, region=region or environment.region),
            tags=tags_of(environment),
            termination_protection=environment.deletion_protected,
            permissions_boundary=cdk.PermissionsBoundary.from_arn(boundary) if boundary else None,
            suppress_template_indentation=True,
            **options,
        )
        if reads_weakly:
            cdk.CrossStackReferences.of(self).consume(cdk.ReferenceStrength.WEAK)
        if not region or region == environment.region:
            key_arn = environment.key_arn
        self.key = kms.Key.from_key_arn(self, "OperatorsKey", key_arn) if key_arn else None
        for key, value in tags_of(environment).items():
            cdk.Tags.of(self).add(key, value)

    @property
    @jsii.member(jsii_name="availabilityZones")
    def availability_zones(self) -> list[str]:
        """Zones of the environment; by itself the CDK would look them up in AWS."""
        return self._zones

    def publish_outputs(self, outputs: Mapping[str, str]) -> None:
        """Add outputs whose logical ids are the given names; the one-machine service reads them."""
        for name, value in outputs.items():
            cdk.CfnOutput(self, name, value=value)
