"""What becomes of a resource when its stack goes."""

import aws_cdk as cdk

from stacks.environments import Environment


def removal_policy(environment: Environment) -> cdk.RemovalPolicy:
    """RETAIN where the environment is protected, else DESTROY; masters never ask."""
    return cdk.RemovalPolicy.RETAIN if environment.protected else cdk.RemovalPolicy.DESTROY
