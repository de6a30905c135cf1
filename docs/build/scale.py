"""What it takes to ingest 36 million images, on paper.

What one image takes is `vitrine/costs/ingest_work.py`'s; the page docs/explanations/scale.md is
printed by `docs/build/scale_page.py`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from docs.build.scale_quotas import Load
from stacks.environments import MOST_EXECUTIONS, ROUNDS_IN_AN_HOUR
from vitrine.costs.ingest_work import (
    CONVERTER,
    EVENTS_OF_OURS,
    EVENTS_OF_S3,
    OUTCOME_WRITES,
    PART_IN,
    STARTER,
    STEPS,
    TRANSITIONS,
    Charge,
    ImageWork,
    charges,
)
from vitrine.costs.kept_objects import (
    GLACIER,
    MASTERS_DAYS,
    STANDARD,
    TO_GLACIER,
    TO_TIERING,
    first_days,
    standard_surcharge,
)
from vitrine.costs.prices import price

IMAGES = 36_000_000
REGION = "us-east-1"
CONVERTERS = (100, 500, 2_000)
LARGE_SHARE = 2
"""One large converter for so many small ones, as in the environments."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """So many small converters at once, and what that comes to."""

    converters: int
    image: ImageWork
    paced: bool = True
    """Whether there is a most of executions, beyond which uploads wait in their queue."""

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return f"{self.converters:,}" + ("" if self.paced else ", not paced")

    @property
    def executions_at_once(self) -> int:
        """The value that stacks/environments.py computes."""
        hour = ROUNDS_IN_AN_HOUR * self.converters // LARGE_SHARE
        return min(hour, MOST_EXECUTIONS) if self.paced else hour

    @property
    def of_converters(self) -> float:
        """Images a second that the converters alone would do."""
        return self.converters / self.image.convert_seconds

    @property
    def of_executions(self) -> float:
        """Images a second that the limit on executions allows."""
        return self.executions_at_once / self.image.execution_seconds

    @property
    def rate(self) -> float:
        """Images a second."""
        return min(self.of_converters, self.of_executions)

    @property
    def starters(self) -> int:
        """Starters at once that keep up with it, the setting `parallel_starts`."""
        return max(2, math.ceil(self.rate * STARTER.seconds))

    @property
    def hours(self) -> float:
        """For all images."""
        return IMAGES / self.rate / 3_600

    @property
    def lambdas(self) -> float:
        """Lambdas that the account must have: the reserved ones, and the others that run."""
        others = sum(step.seconds for step in STEPS if step is not CONVERTER)
        return self.converters * (1 + 1 / LARGE_SHARE) + self.rate * others

    def load(self) -> Load:
        """Return what it asks of each quota, a second or at once."""
        image, rate = self.image, self.rate
        of_masters = 5 + math.ceil(image.master_bytes / PART_IN)
        return Load(
            starts=rate,
            transitions=rate * TRANSITIONS,
            open_executions=rate * image.execution_seconds,
            listings=self.starters / 2,
            lambdas=self.lambdas,
            events=rate * (EVENTS_OF_S3 + EVENTS_OF_OURS),
            own_events=rate * EVENTS_OF_OURS,
            masters_gets=rate * of_masters,
            access_puts=rate * (image.puts - 2),
            outcome_writes=rate * OUTCOME_WRITES,
        )


@dataclass(frozen=True)
class Bill:
    """One line, for all images."""

    item: str
    what: str
    dollars: float
    each: float
    """USD of one of `item`."""
    source: str


def bill(image: ImageWork) -> list[Bill]:
    """Return the bill of all images; nothing in it depends on how many are worked on at once."""
    first = first_days(IMAGES, IMAGES * image.master_bytes, REGION)
    extra, moves = standard_surcharge(REGION), (TO_GLACIER, TO_TIERING)
    sources = f"{price(STANDARD, REGION).origin}; less {price(GLACIER, REGION).usd} of the keeping"
    return [
        *(_of_charge(one) for one in charges(image)),
        Bill(STANDARD, f"masters' first {MASTERS_DAYS} days", first.standard, extra, sources),
        *(_of_charge(Charge(item, 1 / 1e3, "moved once by lifecycle rules")) for item in moves),
    ]


def _of_charge(one: Charge) -> Bill:
    known = price(one.price, REGION)
    return Bill(one.price, one.what, IMAGES * one.usd(REGION), known.usd, known.origin)


def settings(image: ImageWork) -> Iterator[Setting]:
    """Yield the three that are compared, and what the last would be without our throttle."""
    for converters in CONVERTERS:
        yield Setting(converters=converters, image=image)
    yield Setting(converters=CONVERTERS[-1], image=image, paced=False)
