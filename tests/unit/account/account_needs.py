"""What a deployment needs of an account, and an account that has it."""

from datetime import UTC, datetime

from vitrine.account.checks import FARGATE_VCPUS
from vitrine.account.edge_quotas import EDGE_QUOTAS
from vitrine.account.needs import Needs
from vitrine.account.ports import Certificate, DeployedStack
from vitrine.adapters.memory.account import MemoryAccount

ACCOUNT = "123456789012"
BEGUN = datetime(2026, 11, 1, tzinfo=UTC)
"""Moment at which all stacks of the account were created."""
NOW = datetime(2026, 11, 29, tzinfo=UTC)
CACHE_POLICY, FUNCTION = "AWS::CloudFront::CachePolicy", "AWS::CloudFront::Function"
CACHE_POLICIES = ("cloudfront", EDGE_QUOTAS[CACHE_POLICY].code)
ARN = f"arn:aws:acm:us-east-1:{ACCOUNT}:certificate/1"
OF_BALANCER = f"arn:aws:acm:eu-west-1:{ACCOUNT}:certificate/2"
NEEDS = Needs(
    account=ACCOUNT,
    region="eu-west-1",
    regions=("eu-west-1", "us-east-1"),
    stacks=(
        ("eu-west-1", "vitrine-prod-store"),
        ("eu-west-1", "vitrine-prod-edge"),
        ("us-east-1", "vitrine-prod-watch"),
    ),
    bootstrap_version=6,
    reservations={"convert_master": 600},
    lambda_mebibytes=8_192,
    least_vcpus=2,
    most_vcpus=28,
    prefix_lists=("pl-1",),
    zones=("eu-west-1a", "eu-west-1b"),
    images=4,
    architecture="x86_64",
    domain_names=("images.example.org",),
    certificate=ARN,
    balancer_certificate=OF_BALANCER,
    alarm_addresses=("images@example.org",),
    edge_resources={CACHE_POLICY: 4, FUNCTION: 1},
    edge_stacks=(("us-east-1", "vitrine-prod-edge"),),
)


def ready() -> MemoryAccount:
    """An account that lacks nothing."""
    issued = Certificate(status="ISSUED", names=("example.org", "*.example.org"))
    return MemoryAccount(
        number=ACCOUNT,
        bootstraps={"eu-west-1": 21, "us-east-1": 6},
        quotas={FARGATE_VCPUS: 28, CACHE_POLICIES: 20},
        edge={CACHE_POLICY: 16, FUNCTION: 99},
        prefix_lists={"eu-west-1": "pl-1"},
        deployed={
            "eu-central-1": (),
            "eu-west-1": (
                DeployedStack(name="vitrine-prod-store", created=BEGUN),
                DeployedStack(name="vitrine-prod-loadtest", created=BEGUN),
                DeployedStack(name="vitrine-prod-old-store", created=BEGUN),
                DeployedStack(name="CDKToolkit", created=BEGUN),
            ),
            "us-east-1": (DeployedStack(name="vitrine-prod-watch", created=BEGUN),),
        },
        certificates={(ARN, "us-east-1"): issued, (OF_BALANCER, "eu-west-1"): issued},
    )
