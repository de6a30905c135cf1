"""A month's bill by service: what was simulated, times the prices of one table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from capacity.model.design import Design
from capacity.plan.collection_size import CollectionSize
from capacity.plan.monthly_usage import MonthlyUsage
from capacity.plan.question import Question
from capacity.plan.storage_tiers import Tiers
from vitrine.costs import kept_objects as kept
from vitrine.costs.prices import HOURS, price
from vitrine.costs.standing import (
    ALARM_METRICS,
    COMPOSITE_ALARMS,
    EDGE_METRICS,
    IMAGE_GIGABYTES,
    LISTED_AT_ONCE,
    TRACKING_ALARMS,
    dump_charges,
    patrol_charges,
    polling_millions,
    update_charges,
    visit_charges,
    walk_charges,
)
from vitrine.deliver.metrics.minute import METRICS

GB = 1e9
DISK_RESERVE_GIBIBYTES = 5.25
"""Disk of a task that is no cache, as in stacks/constructs/image_task.py."""
FREE_DISK_GIBIBYTES = 20
ZONES = 2
ENDPOINTS = 3
"""Interface endpoints: two of ECR, one of CloudWatch Logs (stacks/constructs/network.py)."""
WEB_ACL_RULES = 4
LOG_DAYS = 90
"""For which logs are kept: `log_days` of `prod`."""
RECONCILE_HOURS = 24
"""Between walks of the reconciler over all images, as in `prod`."""
FREE_GB, FREE_REQUESTS, FREE_CALLS, FREE_PATHS = 1_000, 10e6, 2e6, 1_000
"""CloudFront's free tier of a month (AWS pricing page): the account's, not the service's."""
FREE_TIER = "CloudFront, free tier"
CLOUDFRONT_TIERS = (
    (10_000, "first 10 TB"),
    (40_000, "next 40 TB"),
    (100_000, "next 100 TB"),
    (350_000, "next 350 TB"),
)
"""GB of each tier; beyond them the last price is taken, though less can be negotiated."""
LOG_BYTES, ACCESS_LOG_BYTES = 400, 500
"""Assumed: a line of nginx for each request that reaches the origin; a line of the edge's access
log for each of a viewer, and of S3's for each read."""


@dataclass(frozen=True)
class BillLine:
    """One thing on the bill: `quantity` of `item` of the price table; a free tier is below 0."""

    service: str
    item: str
    quantity: float
    usd: float
    """Per month."""
    confirmed: bool


@dataclass(frozen=True, kw_only=True)
class StandingCosts:
    """What of a deployment is no part of a simulated design; as `prod` has it."""

    architecture: str = "x86_64"
    zones: int = ZONES
    """Availability zones with interface endpoints."""


PROD_STANDING = StandingCosts()


def make_bill(
    design: Design,
    usage: MonthlyUsage,
    collection: CollectionSize,
    region: str,
    *,
    free_tier: bool = True,
    standing: StandingCosts = PROD_STANDING,
) -> list[BillLine]:
    """Return everything that is paid for in a month; CloudFront's free tier is a line of its own.

    `free_tier` False: something else in the account uses it up. Raise KeyError: region not known.
    """
    parts = (
        _task_charges(design, usage, standing.architecture),
        _edge_charges(design, usage, collection),
        _origin_charges(usage, standing.zones),
        _log_charges(usage),
        _storage_charges(collection),
        _ingest_charges(collection),
    )
    lines = []
    for service, item, quantity in (entry for part in parts for entry in part):
        if quantity:
            known = price(item, region)
            usd = quantity * known.usd
            lines.append(BillLine(service, item, quantity, usd, known.confirmed))
    saved = _free_usd(usage, collection, region) if free_tier else 0.0
    if saved:
        lines.append(BillLine("CloudFront", FREE_TIER, 1, -saved, True))
    return lines


def month_of(
    design: Design,
    usage: MonthlyUsage,
    collection: CollectionSize,
    question: Question,
    standing: StandingCosts = PROD_STANDING,
) -> list[BillLine]:
    """Return the bill in the region of a question, with or without the free tier as it says."""
    return make_bill(
        design,
        usage,
        collection,
        question.region,
        free_tier=question.free_tier,
        standing=standing,
    )


def sum_lines(lines: Sequence[BillLine]) -> float:
    """USD per month."""
    return sum(line.usd for line in lines)


def by_service(lines: Sequence[BillLine]) -> dict[str, float]:
    """USD per month of each service, the most expensive first."""
    sums: dict[str, float] = {}
    for line in lines:
        sums[line.service] = sums.get(line.service, 0.0) + line.usd
    return dict(sorted(sums.items(), key=lambda entry: -entry[1]))


def extra_disk(design: Design) -> float:
    """GiB of a task's disk that are paid for."""
    return max(0.0, design.cache_gibibytes + DISK_RESERVE_GIBIBYTES - FREE_DISK_GIBIBYTES)


_Charges = Iterator[tuple[str, str, float]]


def _task_charges(design: Design, usage: MonthlyUsage, architecture: str) -> _Charges:
    for provider, hours in (("Fargate", usage.on_demand_hours), ("Fargate Spot", usage.spot_hours)):
        yield "Fargate", f"{provider} {architecture}, vCPU-hour", hours * design.vcpus
        yield "Fargate", f"{provider} {architecture}, GiB-hour", hours * design.memory_gibibytes
    hours = usage.on_demand_hours + usage.spot_hours
    yield "Fargate", "Fargate, GiB-hour of disk beyond 20", hours * extra_disk(design)


def _edge_charges(design: Design, usage: MonthlyUsage, collection: CollectionSize) -> _Charges:
    for item, gigabytes in _split_tiers(usage.viewer_bytes / GB):
        yield "CloudFront", item, gigabytes
    yield "CloudFront", "CloudFront, ten thousand HTTPS requests", usage.requests / 1e4
    yield "CloudFront", "CloudFront Functions, million", usage.requests / 1e6
    yield "CloudFront", "CloudFront, invalidated path", collection.new_images
    if design.origin_shield:
        shielded = usage.shield_hits + usage.origin_requests
        yield "CloudFront", "Origin Shield, ten thousand requests", shielded / 1e4
    yield "Web ACL", "Web ACL, month", 1
    yield "Web ACL", "Web ACL rule, month", WEB_ACL_RULES
    yield "Web ACL", "Web ACL, million requests", usage.requests / 1e6


def _split_tiers(gigabytes: float) -> Iterator[tuple[str, float]]:
    """Share bytes out among the tiers of their price."""
    left = gigabytes
    for place, (size, tier) in enumerate(CLOUDFRONT_TIERS):
        last = place == len(CLOUDFRONT_TIERS) - 1
        taken = left if last else min(left, size)
        yield f"CloudFront, GB out, {tier}", taken
        left -= taken


def _transfer_usd(gigabytes: float, region: str) -> float:
    return sum(taken * price(item, region).usd for item, taken in _split_tiers(gigabytes))


def _free_usd(usage: MonthlyUsage, collection: CollectionSize, region: str) -> float:
    """Return what CloudFront's free tier takes off the lines of `_edge`, in USD."""
    # Free bytes are the first ones: of the rest, the first 10 TB cost what the first 10 TB cost.
    sent = usage.viewer_bytes / GB
    usd = _transfer_usd(sent, region) - _transfer_usd(max(0.0, sent - FREE_GB), region)
    for quantity, free, per, item in (
        (usage.requests, FREE_REQUESTS, 1e4, "CloudFront, ten thousand HTTPS requests"),
        (usage.requests, FREE_CALLS, 1e6, "CloudFront Functions, million"),
        (collection.new_images, FREE_PATHS, 1, "CloudFront, invalidated path"),
    ):
        usd += min(quantity, free) / per * price(item, region).usd
    return usd


def _origin_charges(usage: MonthlyUsage, zones: int) -> _Charges:
    yield "Load balancer", "Load balancer, hour", HOURS
    # A capacity unit is a GB an hour; the other three measures of it stay far below that here.
    yield "Load balancer", "Load balancer, capacity unit and hour", usage.origin_bytes / GB
    yield "Network", "Interface endpoint, hour and zone", ENDPOINTS * zones * HOURS
    yield "Network", "Interface endpoint, GB", usage.origin_requests * LOG_BYTES / GB
    yield "CloudWatch", "CloudWatch alarm, month", ALARM_METRICS
    yield "CloudWatch", "CloudWatch composite alarm, month", COMPOSITE_ALARMS
    yield "CloudWatch", "CloudWatch alarm of high resolution, month", TRACKING_ALARMS
    yield "CloudWatch", "CloudWatch metric, month", len(METRICS) + EDGE_METRICS
    yield "CloudWatch", "CloudWatch dashboard, month", 1
    yield "ECR", "ECR, GB-month", IMAGE_GIGABYTES
    yield "SQS", "SQS, million requests", polling_millions()
    yield "S3", "S3, thousand GET", usage.store_requests / 1e3
    yield "DynamoDB", "DynamoDB, million reads", usage.identifier_reads / 1e6


def _log_charges(usage: MonthlyUsage) -> _Charges:
    written, months = usage.origin_requests * LOG_BYTES / GB, LOG_DAYS / kept.MONTH_DAYS
    yield "CloudWatch", "CloudWatch Logs, GB", written
    yield "CloudWatch", "CloudWatch Logs, GB-month kept", written * months
    access_logs = (usage.requests + usage.store_requests) * ACCESS_LOG_BYTES / GB
    yield "S3", kept.STANDARD, access_logs * months


def _storage_charges(collection: CollectionSize) -> _Charges:
    for item, quantity in _access_masters(collection.tiers, collection):
        yield "S3", item, quantity
    new = collection.new_master_bytes / GB * kept.standard_months()
    yield "S3", kept.STANDARD, new
    yield "S3", kept.GLACIER, collection.master_bytes / GB - new
    yield "DynamoDB", "DynamoDB, GB-month with recovery", collection.record_bytes / GB
    # The reconciler lists both buckets, and reads an outcome and an identifier for each image.
    walks = HOURS / RECONCILE_HOURS
    yield "DynamoDB", "DynamoDB, million reads", collection.images * walks / 1e6
    yield "S3", "S3, thousand PUT", 2 * collection.images / LISTED_AT_ONCE * walks / 1e3
    for item, quantity in chain(
        patrol_charges(collection.images),
        walk_charges(RECONCILE_HOURS),
        update_charges(),
        dump_charges(),
        visit_charges(),
    ):
        yield item.split(",")[0], item, quantity


def _access_masters(tiers: Tiers, collection: CollectionSize) -> Iterator[tuple[str, float]]:
    gigabytes = collection.access_master_bytes / GB
    yield kept.FREQUENT, gigabytes * tiers.frequent
    yield kept.INFREQUENT, gigabytes * tiers.infrequent
    yield kept.ARCHIVE, gigabytes * tiers.archive
    yield kept.WATCHED, collection.images / 1e3


def access_usd(tiers: Tiers, collection: CollectionSize, region: str) -> float:
    """Return what a month of the access masters costs if they lie in these tiers."""
    lines = _access_masters(tiers, collection)
    return sum(quantity * price(item, region).usd for item, quantity in lines)


def _ingest_charges(collection: CollectionSize) -> _Charges:
    for charge in collection.charges:
        yield "Ingest", charge.price, charge.quantity * collection.new_images
    yield "Ingest", kept.TO_GLACIER, collection.new_images / 1e3
