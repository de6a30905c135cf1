"""Cost of photographs on AWS: dated list prices, and what they make of a measured rate.

Three ways to pay. Machines by the hour, as Baresoil estimated: Fargate's list prices, and next to
them Baresoil's own of 2017. What we deploy is the third: Lambda and Step Functions, by the image.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from vitrine.costs.prices import PRICES_AS_OF, price
from vitrine.migrate.price import Work, estimate

PLANS = ("on-demand", "savings plan", "Spot")
GIBIBYTES_PER_VCPU = 2
REGION = "us-east-1"
_LAMBDA_SAVED = 0.17
_MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A machine by the hour in USD, per virtual CPU (and its share of memory)."""

    name: str
    as_of: str
    source: str
    vcpu_hour: Mapping[str, float]
    """By plan."""


def _fargate(share: float) -> float:
    """Return USD for an hour of a virtual CPU and its memory, at this share of the list price."""
    vcpu = price("Fargate x86_64, vCPU-hour", REGION).usd
    gibibyte = price("Fargate x86_64, GiB-hour", REGION).usd
    return share * (vcpu + GIBIBYTES_PER_VCPU * gibibyte)


MACHINES = (
    Machine(
        name="Fargate x86, us-east-1",
        as_of="2026-09-11",
        source="AWS price list AmazonECS, publication 20260911; savings plan and Spot at the most "
        'that AWS\'s pricing page promises ("up to" 52 % and 70 %): what is paid may be more',
        vcpu_hour={
            "on-demand": _fargate(1),
            "savings plan": _fargate(1 - 0.52),
            "Spot": _fargate(1 - 0.70),
        },
    ),
    Machine(
        name="EC2 c4.2xlarge, us-east-1",
        as_of="2017-09-11",
        source="Baresoil Image Resizing Benchmark: $0.398, $0.252 (reserved, the savings plan of "
        "its day) and $0.0908 for 8 virtual CPUs",
        vcpu_hour={"on-demand": 0.398 / 8, "savings plan": 0.252 / 8, "Spot": 0.0908 / 8},
    ),
)
LAMBDA = "Lambda and Step Functions, us-east-1"
LAMBDA_SOURCE = (
    "vitrine masters migrate's estimate of Lambda, Step Functions, S3 requests, DynamoDB and "
    "EventBridge for these pixels and bytes, with its two calls for a migration; a savings plan "
    f"takes up to {_LAMBDA_SAVED:.0%} off Lambda alone; Lambda has no Spot"
)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """One line of the table, USD; None: not on offer, or nothing was published."""

    machine: str
    as_of: str
    plan: str
    hour: float | None
    million: float | None

    def as_json(self) -> dict[str, str | float | None]:
        return asdict(self)


def costs(images_per_hour: float, cores: int, work: Work) -> list[Cost]:
    """Return the costs of this rate on machines with `cores` cores; `work` is the run's output."""
    found = []
    for machine in MACHINES:
        for plan in PLANS:
            hour = cores * machine.vcpu_hour[plan]
            million = hour / images_per_hour * _MILLION if images_per_hour else None
            found.append(_cost(machine.name, machine.as_of, plan, hour, million))
    return found + _lambda_costs(images_per_hour, work)


def _lambda_costs(images_per_hour: float, work: Work) -> list[Cost]:
    if not work.images:
        return [_cost(LAMBDA, PRICES_AS_OF, plan, None, None) for plan in PLANS]
    once = estimate(work).once
    whole = sum(once.values()) / work.images * _MILLION
    saved = whole - _LAMBDA_SAVED * once["Lambda"] / work.images * _MILLION
    found = []
    for plan, million in zip(PLANS, (whole, saved, None), strict=True):
        hour = None if million is None else million * images_per_hour / _MILLION
        found.append(_cost(LAMBDA, PRICES_AS_OF, plan, hour, million))
    return found


def _cost(name: str, as_of: str, plan: str, hour: float | None, million: float | None) -> Cost:
    return Cost(
        machine=name,
        as_of=as_of,
        plan=plan,
        hour=None if hour is None else round(hour, 5),
        million=None if million is None else round(million, 2),
    )
