"""CloudFront's quotas of an account, which all its environments share."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class EdgeQuota:
    """How many resources of one type an account may have."""

    name: str
    default: int
    """In an account that has never asked for more."""
    code: str = ""
    """Code in Service Quotas; empty where AWS publishes none: then the default counts."""


EDGE_QUOTAS: Mapping[str, EdgeQuota] = {
    "AWS::CloudFront::CachePolicy": EdgeQuota("cache policies", 20, "L-7D134442"),
    "AWS::CloudFront::OriginRequestPolicy": EdgeQuota("origin request policies", 20, "L-C3659C43"),
    "AWS::CloudFront::ResponseHeadersPolicy": EdgeQuota(
        "response headers policies", 20, "L-CF0D4FC5"
    ),
    "AWS::CloudFront::VpcOrigin": EdgeQuota("VPC origins", 25),
    "AWS::CloudFront::KeyValueStore": EdgeQuota("key value stores", 50),
    "AWS::CloudFront::Function": EdgeQuota("functions", 100),
    "AWS::CloudFront::OriginAccessControl": EdgeQuota("origin access controls", 100),
    "AWS::CloudFront::Distribution": EdgeQuota("distributions", 500, "L-24B04930"),
}
"""Quotas by type of CloudFormation. Only customers' own policies count, not AWS's managed ones.
Source: CloudFront Developer Guide, "Quotas"; its links have the codes of policies."""


@dataclass(frozen=True, kw_only=True)
class EdgeUse:
    """How many resources of one type there are, and would be."""

    quota: EdgeQuota
    others: int
    """Number that the account has, without the environment's own."""
    needed: int
    """Number that the environment needs."""
    limit: int

    @property
    def fits(self) -> bool:
        """True if the environment can have all that it needs."""
        return self.others + self.needed <= self.limit

    def describe(self) -> str:
        """Return the numbers in words."""
        return f"{self.others} + {self.needed} of {self.limit} {self.quota.name}"


def compare_edge_use(
    needed: Mapping[str, int],
    existing: Mapping[str, int],
    deployed: Mapping[str, int],
    limit_of: Callable[[str], float],
) -> Iterator[EdgeUse]:
    """Yield what an environment needs of each type that has a quota.

    `existing` are all resources of the account, `deployed` those among them that the environment
    has already; `limit_of` returns the value of a quota by its code.
    """
    for kind, quota in EDGE_QUOTAS.items():
        if count := needed.get(kind, 0):
            yield EdgeUse(
                quota=quota,
                others=max(0, existing.get(kind, 0) - deployed.get(kind, 0)),
                needed=count,
                limit=int(limit_of(quota.code)) if quota.code else quota.default,
            )
