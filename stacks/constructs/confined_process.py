"""What Linux allows the processes of a container."""

from aws_cdk import aws_ecs as ecs
from constructs import Construct


def confined_process(scope: Construct, id_: str) -> ecs.LinuxParameters:
    """Return parameters with an init process and without any capability of root's.

    No program of ours needs one, and no program in our images can gain one: none is setuid.
    """
    parameters = ecs.LinuxParameters(scope, id_, init_process_enabled=True)
    parameters.drop_capabilities(ecs.Capability.ALL)
    return parameters
