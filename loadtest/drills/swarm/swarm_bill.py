"""The bill of a part by the price table: what its hour costs at the edge, and behind it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

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


class TakenResources(NamedTuple):
    """What some time took, of everything that has a price."""

    hours: float
    requests: float
    """Requests to the edge."""
    sent_bytes: float
    store_requests: float
    table_reads: float
    vcpus: float
    """All the time."""
    memory_gibibytes: float


def bill_of(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return USD an hour by item, for a part of ours.

    Nothing is taken for cached at the edge: a swarm's addresses are all different, and of visitors
    it is the upper bound.
    """
    visitors, swarm = part["visitors"], part["swarm"]
    return hourly_bill(
        TakenResources(
            hours=visitors["seconds"] / 3600,
            requests=visitors["requests"] + sum(swarm.get("answers", {}).values()),
            sent_bytes=visitors["bytes"] + swarm.get("bytes", 0),
            store_requests=part["s3"]["requests"],
            table_reads=part["table_names"],
            vcpus=CORES,
            memory_gibibytes=MEMORY_GIBIBYTES,
        )
    )


def hourly_bill(taken: TakenResources) -> dict[str, Any]:
    """Return USD an hour by item, at the edge and behind it."""
    hours, sent = taken.hours, taken.sent_bytes
    quantities = {
        "CloudFront, ten thousand HTTPS requests": taken.requests / 1e4,
        "CloudFront Functions, million": taken.requests / 1e6,
        "Web ACL, million requests": taken.requests / 1e6,
        "CloudFront, GB out, first 10 TB": sent / _GB,
        "Load balancer, capacity unit and hour": sent / _GB,
        "S3, thousand GET": taken.store_requests / 1e3,
        "DynamoDB, million reads": taken.table_reads / 1e6,
        "Fargate x86_64, vCPU-hour": hours * taken.vcpus,
        "Fargate x86_64, GiB-hour": hours * taken.memory_gibibytes,
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
