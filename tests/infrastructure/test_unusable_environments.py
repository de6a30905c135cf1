"""An environment that cannot work is rejected, and only environments name regions and accounts."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from stacks.designs import ENVIRONMENTS
from stacks.flavours import take_flavour
from vitrine.settings.deliver import DeliverOptions
from vitrine.settings.ingest import IngestOptions

IRISH_CERTIFICATE = "arn:aws:acm:eu-west-1:000000000000:certificate/1"


@pytest.mark.parametrize(
    "changes",
    [
        {"domain_name": "images.example.org"},
        {"zone_letters": ("a", "a")},
        {"region": "ap-southeast-3"},
        {"log_days": 61},
        {"account": "Museum"},
        {"domain_name": "images.example.org", "certificate_arn": IRISH_CERTIFICATE},
        {"endpoint_zones": 3},
        {"account_concurrency": 100},
        {"giant_converter": None},
        {"reconcile_hours": 168},
        {"deliver": DeliverOptions(derivative_cache_mebibytes=16_000)},
        {"ingest": IngestOptions(identifier_pattern=r"[^/]+")},
    ],
)
def test_an_environment_that_cannot_work_is_rejected(changes):
    reasons = (
        *("go together", "two availability zones", "leave no 100", "needs a giant_converter"),
        *("more than the 2,048 MiB of memory", "has no group", "more than there are zone_letters"),
        *("--region ap-southeast-3", "log_days must be one of", "twelve digits", "in us-east-1"),
        "looks back",
    )
    with pytest.raises(ValueError, match="|".join(reasons)):
        replace(ENVIRONMENTS["dev"], **changes)


def test_a_protected_environment_needs_a_certificate(prod):
    """Without one CloudFront's own domain takes TLS 1.0."""
    ours = {"account": "123456789012"}
    with pytest.raises(ValueError, match="needs domain_name and certificate_arn"):
        replace(prod.environment, **ours)
    replace(prod.environment, **ours, protected=False)
    named = {
        "domain_name": "images.example.org",
        "certificate_arn": "arn:aws:acm:us-east-1:123456789012:certificate/1",
        "alarm_address": "images@example.org",
        "balancer_certificate_arn": IRISH_CERTIFICATE,
    }
    assert replace(prod.environment, **ours, **named).public_base_url
    of_balancer = named.pop("balancer_certificate_arn")
    with pytest.raises(ValueError, match="so it needs balancer_certificate_arn"):
        replace(prod.environment, **ours, **named)
    serverless = take_flavour(prod.environment, "serverless")
    assert replace(serverless, **ours, **named), "it has no balancer"
    with pytest.raises(ValueError, match="needs domain_name, the name that it is for"):
        replace(ENVIRONMENTS["staging"], balancer_certificate_arn=of_balancer)
    elsewhere = {**named, "balancer_certificate_arn": named["certificate_arn"]}
    with pytest.raises(ValueError, match="in the balancer's region, eu-west-1"):
        replace(prod.environment, **ours, **elsewhere)


def test_only_environments_name_regions_and_accounts():
    literal = re.compile(r"\b(us|eu|ap)-[a-z]+-\d\b|\b\d{12}\b")
    root = Path(__file__).parents[2] / "stacks"
    holding = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if literal.search(path.read_text())
    }
    # Web ACLs and logs of the edge are in CloudFront's own region.
    assert holding <= {
        "environment_values.py",
        "environment_checks.py",
        "designs.py",
        "stage.py",
        "constructs/web_acl.py",
    }
