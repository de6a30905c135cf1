"""A month's bill by service: what was simulated, times the prices of one table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from capacity.model.design import Design
from capacity.plan.collection_size import CollectionSize
from capacity.plan.monthly_usage import Usage
from vitrine.costs.prices import HOURS, price

GB = 1e9
DISK_RESERVE_GIBIBYTES = 5
"""Of a task's disk that is no cache, as in stacks/constructs/image_task.py."""
FREE_DISK_GIBIBYTES = 20
ZONES = 2
ENDPOINTS = 3
"""Interface endpoints: two of ECR, one of CloudWatch Logs (stacks/constructs/network.py)."""
WEB_ACL_RULES = 4
ALARMS = 9
CLOUDFRONT_FREE_GB, CLOUDFRONT_FREE_REQUESTS, FUNCTIONS_FREE = 1_000, 10e6, 2e6
"""Per month and account (AWS pricing page)."""
CLOUDFRONT_TIERS = (
    (10_000, "first 10 TB"),
    (40_000, "next 40 TB"),
    (100_000, "next 100 TB"),
    (350_000, "next 350 TB"),
)
"""GB of each tier; beyond them the last price is taken, though less can be negotiated."""
LOG_BYTES = 400
"""Assumed: a line of nginx for each request that reaches the origin."""


@dataclass(frozen=True)
class Line:
    """One thing on the bill: `quantity` of `item` of the price table."""

    service: str
    item: str
    quantity: float
    usd: float
    """Per month."""
    confirmed: bool


def bill(design: Design, usage: Usage, collection: CollectionSize, region: str) -> list[Line]:
    """Everything that is paid for in a month. Raises KeyError: region not known."""
    parts = (_tasks(design, usage), _edge(design, usage), _origin(usage), _kept(collection))
    charges = [entry for part in parts for entry in part] + list(_ingested(collection))
    lines = []
    for service, item, quantity in charges:
        known = price(item, region)
        if quantity:
            usd = quantity * known.usd
            lines.append(Line(service, item, quantity, usd, known.confirmed))
    return lines


def together(lines: Sequence[Line]) -> float:
    """USD per month."""
    return sum(line.usd for line in lines)


def by_service(lines: Sequence[Line]) -> dict[str, float]:
    """USD per month of each service, the most expensive first."""
    sums: dict[str, float] = {}
    for line in lines:
        sums[line.service] = sums.get(line.service, 0.0) + line.usd
    return dict(sorted(sums.items(), key=lambda entry: -entry[1]))


def extra_disk(design: Design) -> float:
    """GiB of a task's disk that are paid for."""
    return max(0.0, design.cache_gibibytes + DISK_RESERVE_GIBIBYTES - FREE_DISK_GIBIBYTES)


_Charges = Iterator[tuple[str, str, float]]


def _tasks(design: Design, usage: Usage) -> _Charges:
    for provider, hours in (("Fargate", usage.on_demand_hours), ("Fargate Spot", usage.spot_hours)):
        yield "Fargate", f"{provider} x86_64, vCPU-hour", hours * design.vcpus
        yield "Fargate", f"{provider} x86_64, GiB-hour", hours * design.memory_gibibytes
    hours = usage.on_demand_hours + usage.spot_hours
    yield "Fargate", "Fargate, GiB-hour of disk beyond 20", hours * extra_disk(design)


def _edge(design: Design, usage: Usage) -> _Charges:
    requests = usage.requests
    left = max(0.0, usage.viewer_bytes / GB - CLOUDFRONT_FREE_GB)
    for place, (size, tier) in enumerate(CLOUDFRONT_TIERS):
        last = place == len(CLOUDFRONT_TIERS) - 1
        taken = left if last else min(left, size)
        yield "CloudFront", f"CloudFront, GB out, {tier}", taken
        left -= taken
    paid = max(0.0, requests - CLOUDFRONT_FREE_REQUESTS)
    yield "CloudFront", "CloudFront, ten thousand HTTPS requests", paid / 1e4
    functions = max(0.0, requests - FUNCTIONS_FREE)
    yield "CloudFront", "CloudFront Functions, million", functions / 1e6
    if design.origin_shield:
        shielded = usage.shield_hits + usage.origin_requests
        yield "CloudFront", "Origin Shield, ten thousand requests", shielded / 1e4
    yield "Web ACL", "Web ACL, month", 1
    yield "Web ACL", "Web ACL rule, month", WEB_ACL_RULES
    yield "Web ACL", "Web ACL, million requests", requests / 1e6


def _origin(usage: Usage) -> _Charges:
    yield "Load balancer", "Load balancer, hour", HOURS
    # A capacity unit is a GB an hour; the other three measures of it stay far below that here.
    yield "Load balancer", "Load balancer, capacity unit and hour", usage.origin_bytes / GB
    logged = usage.origin_requests * LOG_BYTES / GB
    yield "Network", "Interface endpoint, hour and zone", ENDPOINTS * ZONES * HOURS
    yield "Network", "Interface endpoint, GB", logged
    yield "CloudWatch", "CloudWatch Logs, GB", logged
    yield "CloudWatch", "CloudWatch alarm, month", ALARMS
    yield "S3", "S3, thousand GET", usage.store_requests / 1e3
    yield "DynamoDB", "DynamoDB, million reads", usage.identifier_reads / 1e6


def _kept(collection: CollectionSize) -> _Charges:
    yield "S3", "S3 Standard, GB-month", collection.access_master_bytes / GB
    yield "S3", "S3 Glacier Instant Retrieval, GB-month", collection.master_bytes / GB
    yield "DynamoDB", "DynamoDB, GB-month with recovery", collection.record_bytes / GB


def _ingested(collection: CollectionSize) -> _Charges:
    for charge in collection.charges:
        yield "Ingest", charge.price, charge.quantity * collection.new_images
