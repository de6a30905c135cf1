"""The web ACL of the edge."""

from collections.abc import Iterator
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_logs as logs
from aws_cdk import aws_wafv2 as wafv2
from constructs import Construct

from stacks.constructs.kept_log import KeptLog
from stacks.environment_values import Action
from stacks.environments import Environment

WINDOW_SECONDS = 300
COMMON_RULES = "AWSManagedRulesCommonRuleSet"
BODY_RULES = (
    "SizeRestrictions_BODY",
    "CrossSiteScripting_BODY",
    "GenericLFI_BODY",
    "GenericRFI_BODY",
    "EC2MetaDataSSRF_BODY",
)
"""Rules of that group that look at bodies: the first blocks what is larger than 8 KB, and the
others may take a photograph's bytes, or the XMP in it, for markup or paths, and what somebody asks
by MCP likewise. With a photo door or `/mcp` they only count: nothing else at the edge takes a body,
and both limit and decode what they get.

Source: AWS WAF Developer Guide, "Baseline rule groups", "Core rule set (CRS) managed rule group".
Those of known bad inputs (JavaDeserializationRCE_BODY, Log4JRCE_BODY) go on blocking: they look for
calls such as `${jndi:`, which no photograph has."""
MANAGED_RULES = (
    "AWSManagedRulesAmazonIpReputationList",
    "AWSManagedRulesKnownBadInputsRuleSet",
    COMMON_RULES,
)
"""AWS's groups of rules: 925 of the 1,500 capacity units that an ACL has without a surcharge."""
BOT_RULES = "AWSManagedRulesBotControlRuleSet"
BOT_LABELS = "awswaf:managed:aws:bot-control:bot:"
"""Beginning of the labels with a bot's name, category and verification, which that group sets."""
BOT_HEADER = "bot"
"""AWS WAF puts `x-amzn-waf-` before it; the edge's function reads it."""
HIT_QUERIES = {
    "who the firewall would block": (
        "filter action = 'ALLOW' | stats count() as requests, earliest(httpRequest.uri) as example "
        "by httpRequest.clientIp, httpRequest.country | sort requests desc | limit 50"
    ),
    "what the firewall counts": (
        'parse @message /"labels":\\[(?<labels>[^\\]]*)/ | stats count() as requests, '
        "count_distinct(httpRequest.clientIp) as addresses, earliest(httpRequest.uri) as example "
        "by action, terminatingRuleId, labels | sort requests desc | limit 50"
    ),
}
"""Queries of CloudWatch Logs Insights, in us-east-1: docs/howto/let-the-firewall-block.md."""
_KEPT_HITS = {
    "DefaultBehavior": "DROP",
    "Filters": [
        {
            "Behavior": "KEEP",
            "Requirement": "MEETS_ANY",
            "Conditions": [
                {"ActionCondition": {"Action": action}}
                for action in ("BLOCK", "COUNT", "EXCLUDED_AS_COUNT", "CAPTCHA", "CHALLENGE")
            ],
        }
    ],
}
_ACL = wafv2.CfnWebACL
_REDACTED = wafv2.CfnLoggingConfiguration.FieldToMatchProperty


class WebAcl(wafv2.CfnWebACL):
    """Rules against too many requests from one address, and against attacks that AWS knows.

    Every rule only counts until its numbers are known to be right: a deep-zoom viewer requests
    hundreds of tiles a minute, a whole library may be behind one address, and identifiers look odd
    to rules that were written for shops. What it counts or blocks is logged, so that one can see
    who that would hit; what it lets pass is not. CloudFront accepts ACLs in us-east-1 only.
    """

    def __init__(self, scope: Construct, id_: str, *, environment: Environment) -> None:
        super().__init__(
            scope,
            id_,
            scope="CLOUDFRONT",
            default_action=self.DefaultActionProperty(allow=self.AllowActionProperty()),
            visibility_config=_visibility("WebAcl"),
            rules=list(_rules(environment)),
        )
        self._log_hits(environment)

    def _log_hits(self, environment: Environment) -> None:
        # AWS WAF writes to groups of this prefix only. With a stack's own id, a group that outlived
        # its stack is in nobody's way.
        stack_id = cdk.Fn.select(2, cdk.Fn.split("/", cdk.Aws.STACK_ID))
        name = f"aws-waf-logs-vitrine-{environment.name}-{stack_id}"
        group = KeptLog(self, "Log", environment=environment, name=name)
        address = cdk.Stack.of(self).format_arn(
            service="logs",
            resource="log-group",
            resource_name=group.log_group_name,
            arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
        )
        logging = wafv2.CfnLoggingConfiguration(
            self,
            "Logging",
            resource_arn=self.attr_arn,
            log_destination_configs=[address],
            logging_filter=_KEPT_HITS,
            redacted_fields=[
                *(_REDACTED(single_header={"Name": name}) for name in ("authorization", "cookie")),
                # Of services of access: the provider's codes, by which somebody signs in.
                _REDACTED(query_string={}),
            ],
        )
        logging.node.add_dependency(group)
        for query, text in HIT_QUERIES.items():
            logs.CfnQueryDefinition(
                self,
                query.title().replace(" ", ""),
                name=f"vitrine-{environment.name}/{query}",
                query_string=text.replace(" | ", "\n| "),
                log_group_names=[group.log_group_name],
            )


def count_rules(environment: Environment) -> int:
    """Return the number of rules and groups of rules, each of which has its price."""
    return 1 + len(_managed_groups(environment)) + environment.bot_control


def _managed_groups(environment: Environment) -> tuple[str, ...]:
    return MANAGED_RULES + ((BOT_RULES,) if environment.bot_control else ())


def _rules(environment: Environment) -> Iterator[wafv2.CfnWebACL.RuleProperty]:
    yield _rate_rule(environment)
    for priority, group in enumerate(_managed_groups(environment), start=1):
        takes_bodies = environment.photos or environment.mcp
        counted = BODY_RULES if takes_bodies and group == COMMON_RULES else ()
        yield _managed_rule(group, priority, environment.managed_rules_action, counted)
    if environment.bot_control:
        yield _named_bots_rule(1 + len(_managed_groups(environment)))


def _rate_rule(environment: Environment) -> wafv2.CfnWebACL.RuleProperty:
    action = (
        _ACL.RuleActionProperty(block=_ACL.BlockActionProperty())
        if environment.rate_rule_action == "block"
        else _ACL.RuleActionProperty(count=_ACL.CountActionProperty())
    )
    return _ACL.RuleProperty(
        name="requests-per-address",
        priority=0,
        action=action,
        statement=_ACL.StatementProperty(
            rate_based_statement=_ACL.RateBasedStatementProperty(
                aggregate_key_type="IP",
                limit=environment.requests_per_address,
                evaluation_window_sec=WINDOW_SECONDS,
            )
        ),
        visibility_config=_visibility("RequestsPerAddress"),
    )


def _managed_rule(
    group: str, priority: int, action: Action, counted: tuple[str, ...]
) -> wafv2.CfnWebACL.RuleProperty:
    """Return the rule that applies a group of AWS's; the rules `counted` in it never block."""
    # Overriding with "none" lets the group's own rules act, which is to block.
    override: dict[str, Any] = {"none" if action == "block" else "count": {}}
    return _ACL.RuleProperty(
        name=group,
        priority=priority,
        override_action=_ACL.OverrideActionProperty(**override),
        statement=_ACL.StatementProperty(
            managed_rule_group_statement=_ACL.ManagedRuleGroupStatementProperty(
                vendor_name="AWS",
                name=group,
                rule_action_overrides=[
                    _ACL.RuleActionOverrideProperty(
                        name=rule,
                        action_to_use=_ACL.RuleActionProperty(count=_ACL.CountActionProperty()),
                    )
                    for rule in counted
                ]
                or None,
            )
        ),
        visibility_config=_visibility(group),
    )


def _named_bots_rule(priority: int) -> wafv2.CfnWebACL.RuleProperty:
    """Return the rule that says to the origin that the firewall has a name for who asks.

    It counts, whatever the others do: a crawler gives way first under pressure, and is no enemy.
    """
    header = _ACL.CustomHTTPHeaderProperty(name=BOT_HEADER, value="known")
    handling = _ACL.CustomRequestHandlingProperty(insert_headers=[header])
    return _ACL.RuleProperty(
        name="named-bots",
        priority=priority,
        action=_ACL.RuleActionProperty(
            count=_ACL.CountActionProperty(custom_request_handling=handling)
        ),
        statement=_ACL.StatementProperty(
            label_match_statement=_ACL.LabelMatchStatementProperty(
                scope="NAMESPACE", key=BOT_LABELS
            )
        ),
        visibility_config=_visibility("NamedBots"),
    )


def _visibility(name: str) -> wafv2.CfnWebACL.VisibilityConfigProperty:
    """Return what AWS WAF shows of a rule: its numbers, and no samples of requests.

    Samples have cookies, queries and paths, of what passes as well: tickets and sign-in codes. The
    log's redaction does not hold for them, and `data_protection_config` knows no paths.
    """
    return wafv2.CfnWebACL.VisibilityConfigProperty(
        cloud_watch_metrics_enabled=True, metric_name=name, sampled_requests_enabled=False
    )
