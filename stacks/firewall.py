"""Firewall: the web ACL of an environment whose region is not us-east-1."""

import aws_cdk as cdk
from constructs import Construct

from stacks.constructs.web_acl import WebAcl
from stacks.environments import Environment
from stacks.stage import StageStack

GLOBAL_REGION = "us-east-1"
"""The region where CloudFront looks for web ACLs and certificates, and from which it logs."""


class FirewallStack(StageStack):
    """The `web_acl` for an edge stack in another region.

    A value of another region cannot be imported: the edge reads this stack's output
    (Fn::GetStackOutput) instead of going through custom resources.
    """

    def __init__(self, scope: Construct, *, environment: Environment) -> None:
        super().__init__(scope, "firewall", environment=environment, region=GLOBAL_REGION)
        self.web_acl = WebAcl(self, "WebAcl", environment=environment)
        cdk.CrossStackReferences.of(self.web_acl).produce(cdk.ReferenceStrength.WEAK)
