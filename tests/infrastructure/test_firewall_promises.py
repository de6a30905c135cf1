"""What the web ACL watches, and that it only counts unless the environment says otherwise."""

from dataclasses import replace

import pytest

from stacks.constructs.edge_function_code import function_code
from stacks.constructs.web_acl import BODY_RULES, COMMON_RULES, MANAGED_RULES
from stacks.designs import ENVIRONMENTS
from vitrine.edge.functions import VIEWER_REQUEST
from vitrine.settings.photos import PhotoOptions

FREE_CAPACITY = 1_500
CAPACITY = {
    "AWSManagedRulesAmazonIpReputationList": 25,
    "AWSManagedRulesKnownBadInputsRuleSet": 200,
    "AWSManagedRulesCommonRuleSet": 700,
}
"""Web ACL capacity units: AWS WAF Developer Guide, "AWS Managed Rules rule groups list"."""


def _rules(templates):
    acl = templates.one("AWS::WAFv2::WebACL")
    return {rule["Name"]: rule for rule in acl.properties["Rules"]}


def test_everything_counts_first(templates):
    rate, *groups = _rules(templates).values()
    assert rate["Action"] == {"Count": {}}
    assert rate["Statement"]["RateBasedStatement"]["AggregateKeyType"] == "IP"
    assert [rule["OverrideAction"] for rule in groups] == [{"Count": {}}] * len(MANAGED_RULES)
    acl = templates.one("AWS::WAFv2::WebACL").properties
    assert acl["Scope"] == "CLOUDFRONT"
    assert acl["DefaultAction"] == {"Allow": {}}


def test_what_the_rules_hit_is_logged_without_secrets_and_the_rest_is_not(templates):
    logging = templates.one("AWS::WAFv2::LoggingConfiguration").properties
    (destination,) = logging["LogDestinationConfigs"]
    group = templates.one("AWS::Logs::LogGroup", "WebAclLog")
    prefix, _ = group.properties["LogGroupName"]["Fn::Join"][1]
    assert prefix == f"aws-waf-logs-vitrine-{templates.environment.name}-"
    *_, before, named = destination["Fn::Join"][1]
    assert before.endswith(":log-group:")
    assert named == {"Ref": group.id}
    assert group.properties["RetentionInDays"] == templates.environment.log_days
    assert logging["LoggingFilter"]["DefaultBehavior"] == "DROP"
    (kept,) = logging["LoggingFilter"]["Filters"]
    actions = {item["ActionCondition"]["Action"] for item in kept["Conditions"]}
    assert actions >= {"BLOCK", "COUNT", "EXCLUDED_AS_COUNT"}
    assert "ALLOW" not in actions
    hidden = logging["RedactedFields"]
    assert {"QueryString": {}} in hidden
    headers = {item["SingleHeader"]["Name"] for item in hidden if "SingleHeader" in item}
    assert headers == {"authorization", "cookie"}


@pytest.mark.slow
def test_no_sample_keeps_tickets_tokens_or_codes(templates, operated):
    # The log's redaction does not hold for samples, and no setting redacts paths in them.
    for each in (templates, operated):
        acl = each.one("AWS::WAFv2::WebACL").properties
        watched = [acl, *acl["Rules"]]
        assert len(watched) >= 2 + len(MANAGED_RULES)
        assert not any(one["VisibilityConfig"]["SampledRequestsEnabled"] for one in watched)
        assert all(one["VisibilityConfig"]["CloudWatchMetricsEnabled"] for one in watched)


def test_the_groups_cost_nothing_beyond_their_price(templates):
    names = {
        rule["Statement"]["ManagedRuleGroupStatement"]["Name"]
        for rule in _rules(templates).values()
        if "ManagedRuleGroupStatement" in rule["Statement"]
    }
    assert names == set(CAPACITY)
    assert sum(CAPACITY.values()) < FREE_CAPACITY


@pytest.mark.slow
def test_each_kind_of_rule_blocks_if_the_environment_says_so(synthesize, operated):
    rates = _rules(operated)
    assert rates["requests-per-address"]["Action"] == {"Block": {}}
    for name in MANAGED_RULES:
        assert rates[name]["OverrideAction"] == {"Count": {}}
    groups = _rules(synthesize(replace(ENVIRONMENTS["dev"], managed_rules_action="block")))
    assert groups["requests-per-address"]["Action"] == {"Count": {}}
    for name in MANAGED_RULES:
        assert groups[name]["OverrideAction"] == {"None": {}}


@pytest.mark.slow
def test_rules_about_bodies_let_photographs_and_messages_through(synthesize):
    dev = replace(ENVIRONMENTS["dev"], managed_rules_action="block")
    counted = {}
    for door in ({}, {"photos": PhotoOptions()}, {"mcp": True}):
        for rule in _rules(synthesize(replace(dev, **door))).values():
            group = rule["Statement"].get("ManagedRuleGroupStatement", {})
            for override in group.get("RuleActionOverrides", ()):
                assert override["ActionToUse"] == {"Count": {}}
                counted.setdefault((group["Name"], *door), []).append(override["Name"])
    assert counted == {
        (COMMON_RULES, "photos"): list(BODY_RULES),
        (COMMON_RULES, "mcp"): list(BODY_RULES),
    }
    assert "SizeRestrictions_BODY" in BODY_RULES


@pytest.mark.slow
def test_bots_and_countries_are_not_blocked_by_default(templates, operated):
    assert not any("Bot" in name for name in _rules(templates))
    config = templates.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    assert "Restrictions" not in config
    rules = _rules(operated)
    assert "AWSManagedRulesBotControlRuleSet" in rules
    # A name for a bot picks its turn at the origin; it is no wall, whatever the others do.
    named = rules["named-bots"]
    assert named["Priority"] > rules["AWSManagedRulesBotControlRuleSet"]["Priority"]
    (header,) = named["Action"]["Count"]["CustomRequestHandling"]["InsertHeaders"]
    assert f'"x-amzn-waf-{header["Name"]}"' in function_code(VIEWER_REQUEST)
    assert named["Statement"]["LabelMatchStatement"] == {
        "Scope": "NAMESPACE",
        "Key": "awswaf:managed:aws:bot-control:bot:",
    }
    config = operated.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    assert config["Restrictions"]["GeoRestriction"] == {
        "Locations": ["AQ", "BV"],
        "RestrictionType": "blacklist",
    }
