"""The page docs/reference/idle-price.md: what an environment costs when nobody uses it."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from stacks.constructs.image_task import FREE_DISK_GIBIBYTES
from stacks.constructs.network import INTERFACES
from stacks.constructs.web_acl import count_rules
from stacks.designs import ENVIRONMENTS
from stacks.environments import Environment
from stacks.flavours import FLAVOURS, take_flavour
from vitrine.costs.prices import HOURS, PRICES_AS_OF, price
from vitrine.costs.standing import (
    ALARM_METRICS,
    API_ALARM_METRICS,
    COMPOSITE_ALARMS,
    DUMP_MINUTES,
    EDGE_METRICS,
    FREE_ALARM_METRICS,
    FREE_GIBIBYTE_SECONDS,
    FREE_REQUESTS_MILLIONS,
    FUNCTION_ALARM_METRICS,
    IMAGE_GIGABYTES,
    MCP_ALARM_METRICS,
    PATROL_MINUTES,
    PHOTO_ALARM_METRICS,
    PHOTO_FUNCTION_ALARM_METRICS,
    POLLED_QUEUES,
    TRACKING_ALARMS,
    UPDATE_MINUTES,
    VISIT_HOURS,
    dump_charges,
    patrol_charges,
    polling_millions,
    update_charges,
    visit_charges,
    walk_charges,
)
from vitrine.deliver.metrics.minute import METRICS

TERABYTE = 1_000
"""GB."""
MASTERS_IN_A_TERABYTE = 25_000
"""Number of masters of 40 MB."""


@dataclass(frozen=True)
class Line:
    """One thing that costs money by the hour or month: `quantity` of it at `month` USD each."""

    what: str
    quantity: float
    month: float

    @property
    def sum(self) -> float:
        """USD per month."""
        return self.quantity * self.month


def idle_lines(environment: Environment) -> list[Line]:
    """Everything that is paid for while nothing happens. Raises KeyError: region not known."""
    by_tasks = environment.image_function is None
    acl = int(environment.web_acl)
    prices = _Prices(environment.region)
    return [
        *(_task_lines(environment) if by_tasks else ()),
        *(_network_lines(environment) if environment.needs_network else ()),
        prices.monthly("Web ACL", acl, "Web ACL, month"),
        prices.monthly("Web ACL rule", acl * count_rules(environment), "Web ACL rule, month"),
        *_alarm_lines(environment),
        prices.monthly("ECR, GB", IMAGE_GIGABYTES, "ECR, GB-month"),
        prices.monthly(
            f"Lambda's polling of {POLLED_QUEUES} queues, million requests",
            polling_millions(),
            "SQS, million requests",
        ),
        *_schedule_lines(environment),
        # Those of a Lambda have no values, and no price, in an hour without a request.
        prices.monthly(
            "CloudWatch metric of the gateway",
            by_tasks * len(METRICS),
            "CloudWatch metric, month",
        ),
        prices.monthly(
            "CloudWatch metric of the edge",
            environment.edge_metrics * EDGE_METRICS,
            "CloudWatch metric, month",
        ),
        prices.monthly(
            "CloudWatch dashboard", int(environment.dashboard), "CloudWatch dashboard, month"
        ),
    ]


FREE = {
    "CloudWatch alarm, month": FREE_ALARM_METRICS,
    "SQS, million requests": FREE_REQUESTS_MILLIONS,
    "Lambda, million requests": FREE_REQUESTS_MILLIONS,
    "Lambda, GB-second": FREE_GIBIBYTE_SECONDS,
}
"""Quantity of each item of the price table that is free in an account, every month."""


def free_month(environment: Environment) -> float:
    """USD per month that are not charged in an account where nothing else uses its free tier."""
    by_tasks = environment.image_function is None
    used = defaultdict[str, float](float)
    used["CloudWatch alarm, month"] = ALARM_METRICS if by_tasks else FUNCTION_ALARM_METRICS
    used["SQS, million requests"] = polling_millions()
    for item, quantity in chain(
        patrol_charges(images=0),
        walk_charges(environment.reconcile_hours),
        update_charges(),
        dump_charges(),
        visit_charges(),
    ):
        used[item] += quantity
    return sum(
        min(used[item], free) * price(item, environment.region).usd for item, free in FREE.items()
    )


def _schedule_lines(environment: Environment) -> list[Line]:
    region = environment.region
    charges = {
        f"Reconciler's patrols, every {PATROL_MINUTES} minutes": patrol_charges(images=0),
        _walks(environment): walk_charges(environment.reconcile_hours),
        f"Looking for collections to update, every {UPDATE_MINUTES} minutes": update_charges(),
        f"Looking for what the dumps lack, every {DUMP_MINUTES} minutes": dump_charges(),
        f"Counting visits, every {VISIT_HOURS} hours": visit_charges(),
    }
    return [
        Line(what, 1, sum(quantity * price(item, region).usd for item, quantity in of_it))
        for what, of_it in charges.items()
    ]


def _walks(environment: Environment) -> str:
    hours = environment.reconcile_hours
    return f"Reconciler's walks, every {'hour' if hours == 1 else f'{hours} hours'}"


def _alarm_lines(environment: Environment) -> list[Line]:
    by_tasks, prices = environment.image_function is None, _Prices(environment.region)
    alarms = ALARM_METRICS if by_tasks else FUNCTION_ALARM_METRICS
    alarms += API_ALARM_METRICS if environment.api else 0
    alarms += MCP_ALARM_METRICS if environment.mcp else 0
    if environment.photos:
        of_function = environment.photo_function is not None
        alarms += PHOTO_FUNCTION_ALARM_METRICS if of_function else PHOTO_ALARM_METRICS
    return [
        prices.monthly("Metric in CloudWatch alarms", alarms, "CloudWatch alarm, month"),
        prices.monthly(
            "CloudWatch composite alarm",
            by_tasks * COMPOSITE_ALARMS,
            "CloudWatch composite alarm, month",
        ),
        prices.monthly(
            "CloudWatch alarm of high resolution",
            by_tasks * TRACKING_ALARMS,
            "CloudWatch alarm of high resolution, month",
        ),
    ]


@dataclass(frozen=True)
class _Prices:
    region: str

    def monthly(self, what: str, quantity: float, item: str) -> Line:
        return Line(what, quantity, price(item, self.region).usd)

    def hourly(self, what: str, quantity: float, item: str) -> Line:
        return Line(what, quantity, price(item, self.region).usd * HOURS)


def _task_lines(environment: Environment) -> list[Line]:
    task, prices = environment.image_task, _Prices(environment.region)
    extra_disk = max(0, task.disk_gibibytes - FREE_DISK_GIBIBYTES)
    fargate = f"Fargate {environment.architecture}"
    return [
        prices.hourly(
            "Fargate vCPU", task.minimum * task.cpu_units / 1024, f"{fargate}, vCPU-hour"
        ),
        prices.hourly(
            "Fargate GiB of memory",
            task.minimum * task.memory_mebibytes / 1024,
            f"{fargate}, GiB-hour",
        ),
        prices.hourly(
            f"Fargate GiB of disk beyond {FREE_DISK_GIBIBYTES}",
            task.minimum * extra_disk,
            f"Fargate, GiB-hour of disk beyond {FREE_DISK_GIBIBYTES}",
        ),
        prices.hourly("Internal load balancer", 1, "Load balancer, hour"),
    ]


def _network_lines(environment: Environment) -> list[Line]:
    endpoints = 0 if environment.vpc else len(INTERFACES) * environment.endpoint_zones
    prices = _Prices(environment.region)
    return [
        prices.hourly(
            "Interface endpoint, per zone", endpoints, "Interface endpoint, hour and zone"
        )
    ]


def idle_month(environment: Environment) -> float:
    """USD per month."""
    return sum(line.sum for line in idle_lines(environment))


def page() -> str:
    """Return the page as Markdown."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    yield "# Idle price"
    yield ""
    yield "What each environment costs per month when nobody uploads and nobody looks, in USD."
    yield "Generated by `make docs` from `stacks/designs.py`;"
    yield f"on-demand list prices as of {PRICES_AS_OF}, {HOURS} hours per month, without tax."
    yield ""
    yield "| environment | region | image tasks | per month | on arm64 |"
    yield "|---|---|---|---:|---:|"
    for environment in ENVIRONMENTS.values():
        month = f"${idle_month(environment):,.2f}"
        arm = f"${idle_month(replace(environment, architecture='arm64')):,.2f}"
        place = f"{environment.name} | {environment.region}"
        yield f"| {place} | {_tasks(environment)} | {month} | {arm} |"
    yield from _flavours()
    for environment in ENVIRONMENTS.values():
        yield from _table(environment)
    for name in FLAVOURS:
        if name != "portal":  # which is prod
            yield from _table(take_flavour(ENVIRONMENTS["prod"], name), f"prod as `{name}`")
    yield from _copies(ENVIRONMENTS["prod"])
    yield from _remarks()


def _flavours() -> Iterator[str]:
    yield ""
    yield "## Flavours"
    yield ""
    yield "`prod` with each of the flavours of `stacks/flavours.py`"
    yield "([which one?](../howto/choose-a-flavour.md)):"
    yield ""
    yield "| flavour | for | images are served by | per month | less the free tier |"
    yield "|---|---|---|---:|---:|"
    for name, flavour in FLAVOURS.items():
        environment = take_flavour(ENVIRONMENTS["prod"], name)
        month = f"${idle_month(environment):,.2f}"
        served = f"{_served_by(environment)}, {environment.architecture}"
        rest = f"${idle_month(environment) - free_month(environment):,.2f}"
        yield f"| {name} | {flavour.who} | {served} | {month} | {rest} |"
    yield ""
    yield f"The free tier gives an account {FREE_ALARM_METRICS} metrics in alarms,"
    yield f"{FREE_REQUESTS_MILLIONS} million requests to SQS and to Lambda and"
    yield f"{FREE_GIBIBYTE_SECONDS:,} GB-seconds of Lambda each month, once for all environments"
    yield "and programs in it. No other sum on this page counts it."
    yield ""
    yield "What is left of `serverless` is watchfulness, and each part of it has a reason:"
    yield ""
    yield "- **Alarms**: several metrics in one alarm are charged one by one, so joining them saves"
    yield "  nothing. Each names a fault of its own, and its run book. With tasks, a service level"
    yield "  is four alarms and a composite one, which rings once and ends soon after the fault;"
    yield "  here it is the two that look at an hour and at six. Slow tiles ring no alarm here:"
    yield "  where few people come, the first answers of Lambdas that start would be most of an"
    yield "  hour's."
    yield "- **No key**: what waits in a topic is on SNS's encrypted disks, and goes out by mail."
    yield "  [`key_arn`](../howto/use-your-own-key.md) puts it under a key of yours."
    yield "- **Polling**: Lambda may read an idle queue with as few as two pollers, but not where"
    yield "  `MaximumConcurrency` bounds its workers, as all of ours are bounded."


def _served_by(environment: Environment) -> str:
    function = environment.image_function
    return f"a Lambda of {function.memory_mebibytes:,} MB" if function else _tasks(environment)


def _tasks(environment: Environment) -> str:
    size = environment.image_task
    each = f"{size.cpu_units / 1024:g} vCPU, {size.memory_mebibytes / 1024:g} GiB"
    return f"{size.minimum} of {each}"


def _table(environment: Environment, name: str = "") -> Iterator[str]:
    yield ""
    yield f"## {name or environment.name}"
    yield ""
    yield "| what | quantity | each per month | per month |"
    yield "|---|---:|---:|---:|"
    for line in idle_lines(environment):
        if line.quantity:
            yield f"| {line.what} | {line.quantity:g} | ${line.month:,.3f} | ${line.sum:,.2f} |"
    yield f"| **together** | | | **${idle_month(environment):,.2f}** |"


def _copies(environment: Environment) -> Iterator[str]:
    """Yield what copies cost that an environment may keep (stacks/copies.py)."""

    def usd(item: str, quantity: float) -> float:
        return price(item, environment.region).usd * quantity

    moved = usd("S3, GB to another region", TERABYTE) + usd(
        "S3 Glacier Instant Retrieval, thousand transitions", MASTERS_IN_A_TERABYTE / 1000
    )
    archive = usd("S3 Glacier Instant Retrieval, GB-month", TERABYTE)
    backed_up = usd("AWS Backup of S3, GB-month", TERABYTE)
    records = usd("AWS Backup of S3, GB-month", 1) + usd("AWS Backup of DynamoDB, GB-month", 1)
    yield ""
    yield "## What copies cost"
    yield ""
    yield "No environment has them as it comes; each is a table of `environments.toml`"
    yield "([how](../howto/recover-from-a-loss.md#copies-elsewhere)). For a terabyte of masters"
    yield f"({MASTERS_IN_A_TERABYTE:,} of 40 MB) in {environment.region}:"
    yield ""
    yield "| what | setting | once | per month |"
    yield "|---|---|---:|---:|"
    yield (
        "| masters and records in a second region | `replica.region` "
        f"| ${moved:,.2f} | ${archive:,.2f} |"
    )
    yield "| no version of them can be deleted | `replica.locked_days` | $0.00 | $0.00 |"
    yield (
        "| AWS Backup of the table and the records, for each GB of both | `backup.days` "
        f"| $0.00 | ${records:,.2f} |"
    )
    yield f"| AWS Backup of masters too | `backup.masters` | $0.00 | ${backed_up:,.2f} |"
    yield ""
    yield "A lock costs what it keeps: replaced and deleted versions, until it ends. The masters"
    yield f"themselves cost ${archive:,.2f} a month, so a second region doubles that."


def _remarks() -> Iterator[str]:
    yield ""
    yield "## What is not in it"
    yield ""
    yield "- What grows with your collection: S3 storage (access masters in Intelligent-Tiering,"
    yield "  $0.023 per GB and month while somebody reads them; masters in S3 Standard at first,"
    yield "  then in Glacier Instant Retrieval), DynamoDB storage, the reconciler's reads."
    yield "- What grows with use: CloudFront, load balancer capacity units, S3 requests, Lambda,"
    yield "  Step Functions, logs, data through the endpoints, tasks beyond the minimum."
    yield "- Cents: logs of the tasks, access logs."
    yield "- Nothing: Lambda, Step Functions, EventBridge, DynamoDB and CloudFront when idle, and"
    yield "  the gateway endpoints for S3 and DynamoDB. There is no NAT gateway."
    yield "- Not confirmed: whether the twenty-second CPU metric is charged, and the prices that"
    yield "  [`prices.csv`](../../vitrine/costs/prices.csv) does not call confirmed."
    yield ""
    yield "`vitrine-capacity plan` looks for the cheapest design for your visits, which may be"
    yield "smaller than `prod`; its report says what `prod` would cost with the same visits."
