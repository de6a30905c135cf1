"""What happens to a resource when its stack is deleted."""

import aws_cdk as cdk

from stacks.environments import Environment

KEPT = cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
"""It outlives its stack and its replacement, unless the deployment that creates it fails: what was
created then is empty, and would be in the way of the next try (RetainExceptOnCreate)."""


def removal_policy(environment: Environment) -> cdk.RemovalPolicy:
    """Return KEPT if the environment is protected, else DESTROY; masters are always kept."""
    return KEPT if environment.protected else cdk.RemovalPolicy.DESTROY
