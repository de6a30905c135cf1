"""What an environment costs per month when nobody uses it.

`python -m docs.build.idle_price_page` prints docs/reference/idle-price.md; a test compares them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from capacity.plan.prices import HOURS, PRICES_AS_OF, price
from stacks.constructs.image_task import FREE_DISK_GIBIBYTES
from stacks.constructs.network import INTERFACES
from stacks.constructs.web_acl import rule_count
from stacks.environments import ENVIRONMENTS, Environment

ALARMS = 9


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
    task = environment.image_task
    endpoints = 0 if environment.vpc else len(INTERFACES) * environment.endpoint_zones
    extra_disk = max(0, task.disk_gibibytes - FREE_DISK_GIBIBYTES)
    fargate = f"Fargate {environment.architecture}"

    def monthly(what: str, quantity: float, item: str) -> Line:
        return Line(what, quantity, price(item, environment.region).usd)

    def hourly(what: str, quantity: float, item: str) -> Line:
        return Line(what, quantity, price(item, environment.region).usd * HOURS)

    return [
        hourly("Fargate vCPU", task.minimum * task.cpu_units / 1024, f"{fargate}, vCPU-hour"),
        hourly(
            "Fargate GiB of memory",
            task.minimum * task.memory_mebibytes / 1024,
            f"{fargate}, GiB-hour",
        ),
        hourly(
            f"Fargate GiB of disk beyond {FREE_DISK_GIBIBYTES}",
            task.minimum * extra_disk,
            f"Fargate, GiB-hour of disk beyond {FREE_DISK_GIBIBYTES}",
        ),
        hourly("Internal load balancer", 1, "Load balancer, hour"),
        hourly("Interface endpoint, per zone", endpoints, "Interface endpoint, hour and zone"),
        monthly("Web ACL", 1, "Web ACL, month"),
        monthly("Web ACL rule", rule_count(environment), "Web ACL rule, month"),
        monthly("CloudWatch alarm", ALARMS, "CloudWatch alarm, month"),
        monthly("CloudWatch dashboard", int(environment.dashboard), "CloudWatch dashboard, month"),
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
    yield "Printed by `python -m docs.build.idle_price_page` from `stacks/environments.py`;"
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
    yield "- Cents: four container images in ECR at $0.10 per GB and month; Lambda's polling of"
    yield "  three queues, about 2 million requests a month at $0.40 per million after the first"
    yield "  million; logs of the tasks."
    yield "- Nothing: Lambda, Step Functions, EventBridge, DynamoDB and CloudFront when idle, and"
    yield "  the gateway endpoints for S3 and DynamoDB. There is no NAT gateway."
    yield "- Not confirmed: the price of extra Fargate disk and of interface endpoints in"
    yield "  eu-west-1, and whether the twenty-second CPU metric is charged."


if __name__ == "__main__":
    print(page(), end="")
