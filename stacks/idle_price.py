"""What an environment costs per month when nobody uses it.

`python -m stacks.idle_price` prints the page docs/reference/idle-price.md; a test compares them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stacks.constructs.image_task import FREE_DISK_GIBIBYTES
from stacks.constructs.network import INTERFACES
from stacks.constructs.web_acl import rule_count
from stacks.environments import ENVIRONMENTS, Environment

HOURS = 730
"""Per month, as AWS reckons."""
ALARMS = 9
PRICES_AS_OF = "2026-11-20"


@dataclass(frozen=True, kw_only=True)
class PriceBook:
    """On-demand prices of one region in USD: per hour, or per month where the name says so."""

    vcpu: Mapping[str, float]
    gibibyte: Mapping[str, float]
    disk_gibibyte: float
    balancer: float
    interface_endpoint: float
    web_acl_month: float = 5.0
    web_acl_rule_month: float = 1.0
    alarm_month: float = 0.10


PRICES: Mapping[str, PriceBook] = {
    "us-east-1": PriceBook(
        vcpu={"x86_64": 0.04048, "arm64": 0.03238},
        gibibyte={"x86_64": 0.004445, "arm64": 0.00356},
        disk_gibibyte=0.000111,
        balancer=0.0225,
        interface_endpoint=0.010,
    ),
    "eu-west-1": PriceBook(
        vcpu={"x86_64": 0.04048, "arm64": 0.03238},
        gibibyte={"x86_64": 0.004445, "arm64": 0.00356},
        disk_gibibyte=0.000122,
        balancer=0.0252,
        interface_endpoint=0.011,
    ),
}


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
    prices = PRICES[environment.region]
    task, architecture = environment.image_task, environment.architecture
    endpoints = 0 if environment.vpc else len(INTERFACES) * environment.endpoint_zones
    extra_disk = max(0, task.disk_gibibytes - FREE_DISK_GIBIBYTES)

    def hourly(what: str, quantity: float, price: float) -> Line:
        return Line(what, quantity, price * HOURS)

    return [
        hourly("Fargate vCPU", task.minimum * task.cpu_units / 1024, prices.vcpu[architecture]),
        hourly(
            "Fargate GiB of memory",
            task.minimum * task.memory_mebibytes / 1024,
            prices.gibibyte[architecture],
        ),
        hourly(
            f"Fargate GiB of disk beyond {FREE_DISK_GIBIBYTES}",
            task.minimum * extra_disk,
            prices.disk_gibibyte,
        ),
        hourly("Internal load balancer", 1, prices.balancer),
        hourly("Interface endpoint, per zone", endpoints, prices.interface_endpoint),
        Line("Web ACL", 1, prices.web_acl_month),
        Line("Web ACL rule", rule_count(environment), prices.web_acl_rule_month),
        Line("CloudWatch alarm", ALARMS, prices.alarm_month),
    ]


def idle_month(environment: Environment) -> float:
    """USD per month."""
    return sum(line.sum for line in idle_lines(environment))


def page() -> str:
    """The page, in Markdown."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    yield "# Idle price"
    yield ""
    yield "What each environment costs per month when nobody uploads and nobody looks, in USD."
    yield "Printed by `python -m stacks.idle_price` from `stacks/environments.py`;"
    yield f"on-demand list prices as of {PRICES_AS_OF}, {HOURS} hours per month, without tax."
    yield ""
    yield "| environment | region | image tasks | per month |"
    yield "|---|---|---|---:|"
    for environment in ENVIRONMENTS.values():
        month = f"${idle_month(environment):,.2f}"
        yield f"| {environment.name} | {environment.region} | {_tasks(environment)} | {month} |"
    for environment in ENVIRONMENTS.values():
        yield from _table(environment)
    yield from _remarks()


def _tasks(environment: Environment) -> str:
    size = environment.image_task
    each = f"{size.cpu_units / 1024:g} vCPU, {size.memory_mebibytes / 1024:g} GiB"
    return f"{size.minimum} of {each}"


def _table(environment: Environment) -> Iterator[str]:
    yield ""
    yield f"## {environment.name}"
    yield ""
    yield "| what | quantity | each per month | per month |"
    yield "|---|---:|---:|---:|"
    for line in idle_lines(environment):
        if line.quantity:
            yield f"| {line.what} | {line.quantity:g} | ${line.month:,.3f} | ${line.sum:,.2f} |"
    yield f"| **together** | | | **${idle_month(environment):,.2f}** |"


def _remarks() -> Iterator[str]:
    yield ""
    yield "## What is not in it"
    yield ""
    yield "- What grows with your collection: S3 storage (access masters at $0.023 per GB and"
    yield "  month at first, masters $0.004 once they are in Glacier Instant Retrieval), DynamoDB"
    yield "  storage."
    yield "- What grows with use: CloudFront, load balancer capacity units, S3 requests, Lambda,"
    yield "  Step Functions, logs, data through the endpoints, tasks beyond the minimum."
    yield "- Cents: three container images in ECR at $0.10 per GB and month; Lambda's polling of"
    yield "  three queues, about 2 million requests a month at $0.40 per million after the first"
    yield "  million; logs of the tasks."
    yield "- Nothing: Lambda, Step Functions, EventBridge, DynamoDB and CloudFront when idle, and"
    yield "  the gateway endpoints for S3 and DynamoDB. There is no NAT gateway."
    yield "- Not confirmed: the price of extra Fargate disk and of interface endpoints in"
    yield "  eu-west-1, and whether the twenty-second CPU metric is charged."


if __name__ == "__main__":
    print(page(), end="")
