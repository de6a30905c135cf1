"""Parts of the templates' distribution, as promises ask for them."""

from vitrine.edge.policies import INSIDE_PATTERN


def distribution(templates):
    return templates.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]


def behaviors(templates):
    config = distribution(templates)
    return [config["DefaultCacheBehavior"], *without_searches(config)]


def without_searches(config):
    """Searches inside objects have promises of their own (test_content_search_promises.py)."""
    return [item for item in config["CacheBehaviors"] if item["PathPattern"] != INSIDE_PATTERN]


def policies(templates):
    return {
        item.id: item.properties["CachePolicyConfig"]
        for item in templates.of("AWS::CloudFront::CachePolicy")
    }


def policy_of(templates, behavior):
    return policies(templates)[behavior["CachePolicyId"]["Ref"]]


def resource(templates, reference):
    (found,) = [item for item in templates.resources if item.id == reference["Ref"]]
    return found.properties


RESTRICTED = "/restricted/"
OF_IMAGES = ("/iiif/", "/presentation/", RESTRICTED)
"""Paths that the image tasks answer."""


def by_pattern(templates):
    config = distribution(templates)
    named = {item["PathPattern"]: item for item in without_searches(config)}
    return {**named, "*": config["DefaultCacheBehavior"]}
