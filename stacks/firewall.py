"""Firewall: the web ACL of an environment in another region than CloudFront's own."""

from constructs import Construct

from stacks.constructs.web_acl import WebAcl
from stacks.environments import Environment
from stacks.stage import GLOBAL_REGION, StageStack, let_go


class FirewallStack(StageStack):
    """The `web_acl` for an edge stack in another region.

    A value of another region cannot be imported: the edge reads this stack's output
    (Fn::GetStackOutput) instead of going through custom resources.
    """

    def __init__(self, scope: Construct, *, environment: Environment) -> None:
        super().__init__(scope, "firewall", environment=environment, region=GLOBAL_REGION)
        self.web_acl = WebAcl(self, "WebAcl", environment=environment)
        let_go(self.web_acl)
