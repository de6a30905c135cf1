"""The bill of a part by the price table: what its hour costs at the edge, and behind it."""

from collections.abc import Mapping
from typing import Any

from vitrine.costs.prices import price

REGION = "us-east-1"
CORES, MEMORY_GIBIBYTES = 2, 4
"""The task that the machine stands for."""
_GB = 1e9
EDGE = (
    "CloudFront, ten thousand HTTPS requests",
    "CloudFront Functions, million",
    "Web ACL, million requests",
    "CloudFront, GB out, first 10 TB",
)


def bill_of(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return USD an hour by item, at the edge and behind it, for a part of ours.

    Nothing is taken for cached at the edge: a swarm's addresses are all different, and of visitors
    it is the upper bound.
    """
    visitors, swarm = part["visitors"], part["swarm"]
    hours = visitors["seconds"] / 3600
    requests = visitors["requests"] + sum(swarm.get("answers", {}).values())
    sent = visitors["bytes"] + swarm.get("bytes", 0)
    quantities = {
        "CloudFront, ten thousand HTTPS requests": requests / 1e4,
        "CloudFront Functions, million": requests / 1e6,
        "Web ACL, million requests": requests / 1e6,
        "CloudFront, GB out, first 10 TB": sent / _GB,
        "Load balancer, capacity unit and hour": sent / _GB,
        "S3, thousand GET": part["s3"]["requests"] / 1e3,
        "DynamoDB, million reads": part["table_names"] / 1e6,
        "Fargate x86_64, vCPU-hour": hours * CORES,
        "Fargate x86_64, GiB-hour": hours * MEMORY_GIBIBYTES,
        "Load balancer, hour": hours,
    }
    usd = {
        item: round(quantity / hours * price(item, REGION).usd, 5)
        for item, quantity in quantities.items()
    }
    edge = sum(usd[item] for item in EDGE)
    return {
        "usd_an_hour": usd,
        "edge_usd_an_hour": round(edge, 4),
        "origin_usd_an_hour": round(sum(usd.values()) - edge, 4),
    }
