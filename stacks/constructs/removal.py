"""What happens to a resource when its stack is deleted."""

import aws_cdk as cdk

from stacks.environments import Environment


def removal_policy(environment: Environment) -> cdk.RemovalPolicy:
    """Return RETAIN if the environment is protected, else DESTROY; masters are always retained."""
    return cdk.RemovalPolicy.RETAIN if environment.protected else cdk.RemovalPolicy.DESTROY
