"""The web ACL before the edge."""

from aws_cdk import aws_wafv2 as wafv2
from constructs import Construct

from stacks.environments import Environment

WINDOW_SECONDS = 300


class WebAcl(wafv2.CfnWebACL):
    """One rule: too many requests from one address. It counts first, and blocks once its number
    is known to be right: a deep-zoom viewer asks for hundreds of tiles a minute, and a whole
    library may sit behind one address. CloudFront takes ACLs from us-east-1 only."""

    def __init__(self, scope: Construct, id_: str, *, environment: Environment) -> None:
        super().__init__(
            scope,
            id_,
            scope="CLOUDFRONT",
            default_action=self.DefaultActionProperty(allow=self.AllowActionProperty()),
            visibility_config=_visibility("WebAcl"),
            rules=[_rate_rule(environment)],
        )


def _rate_rule(environment: Environment) -> wafv2.CfnWebACL.RuleProperty:
    acl = wafv2.CfnWebACL
    action = (
        acl.RuleActionProperty(block=acl.BlockActionProperty())
        if environment.rate_rule_action == "block"
        else acl.RuleActionProperty(count=acl.CountActionProperty())
    )
    return acl.RuleProperty(
        name="requests-per-address",
        priority=0,
        action=action,
        statement=acl.StatementProperty(
            rate_based_statement=acl.RateBasedStatementProperty(
                aggregate_key_type="IP",
                limit=environment.requests_per_address,
                evaluation_window_sec=WINDOW_SECONDS,
            )
        ),
        visibility_config=_visibility("RequestsPerAddress"),
    )


def _visibility(name: str) -> wafv2.CfnWebACL.VisibilityConfigProperty:
    return wafv2.CfnWebACL.VisibilityConfigProperty(
        cloud_watch_metrics_enabled=True, metric_name=name, sampled_requests_enabled=True
    )
