"""The page docs/reference/ingest-rate.md: images a second on AWS, by a model of its limits."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heapreplace
from statistics import fmean

from docs.build.markdown import paragraph, table
from docs.build.saved_runs import ROOT, read_index
from lambdas.start_ingest.handler import AT_ONCE as MESSAGES_AT_ONCE
from stacks.designs import PROD, fit_new_account
from stacks.environments import Environment
from vitrine.costs.ingest_work import (
    CONVERTER,
    REQUEST_SECONDS,
    STARTER,
    STEPS,
    TRANSITIONS,
    charges,
    image_work,
    measured_image,
)
from vitrine.migrate.messages import MASTERS_PER_CHILD
from vitrine.migrate.migrate_batch import FIRST_LOOK_SECONDS, LATER_LOOK
from vitrine.migrate.price import BATCH_TRANSITIONS, Work, estimate

RUN = "ingest"
BATCH = 10
"""Messages of a batch of uploads (`stacks/constructs/work_queue.py`)."""
RECEIVE_SECONDS = 2 * REQUEST_SECONDS
"""Assumed: Lambda's poller receives a batch and deletes it."""
REQUESTS_OF_A_TRY = 8
"""MigrateMaster's first try of a master: what it reads, keeps, records and starts."""
START_EXECUTIONS, STATE_TRANSITIONS, MAP_DISPATCHES = 300, 5_000, 100
"""A second, in eu-west-1 (Step Functions service quotas; "Distributed Map", Standard children)."""
MILLIONS = (1, 10, 36)
HOUR, SAMPLE = 3_600, 20_000
SLOWER = 1.6

ACCOUNTS: Mapping[str, Environment] = {
    "new account": fit_new_account(PROD),
    "default quotas": PROD,
    "Lambda quota 2,000": replace(
        PROD,
        account_concurrency=2_000,
        small_converter=replace(PROD.small_converter, at_once=800),
        large_converter=replace(PROD.large_converter, at_once=400),
    ),
}
"""`prod` in an account of each kind."""


@dataclass(frozen=True, kw_only=True)
class Way:
    """A way into the service: what it alone allows in a second, and what it adds to an ingest."""

    name: str
    limits: Callable[[Environment], dict[str, float]]
    transitions: float = 0.0
    usd: float = 0.0
    """For one image, transitions included."""

    def find_limit(self, environment: Environment) -> tuple[float, str]:
        """Return the images a second, and what keeps them from being more."""
        limits = self.limits(environment) | _pipeline_limits(environment)
        binding = min(limits, key=lambda name: limits[name])
        return limits[binding], binding


def execution_seconds() -> list[float]:
    """Return how long the ingest of each master of the benchmark takes on AWS."""
    measured = measured_image()
    pyramid = measured.access_master_bytes / measured.megapixels
    return [
        image_work(
            megapixels=master["megapixels"],
            master_bytes=master["bytes"],
            access_master_bytes=pyramid * master["megapixels"],
        ).execution_seconds
        for master in read_index()[RUN].read()["figures"]["masters"]
    ]


def _pipeline_limits(environment: Environment) -> dict[str, float]:
    """Return what the pipeline behind every way allows."""
    converting = measured_image().convert_seconds
    others = sum(step.seconds for step in STEPS if step is not CONVERTER)
    reserved = environment.small_converter.at_once
    limits = {
        "StartExecution": float(START_EXECUTIONS),
        "state transitions": STATE_TRANSITIONS / TRANSITIONS,
    }
    if reserved is None:
        return limits | {"Lambdas at once": environment.account_concurrency / (converting + others)}
    both = reserved + (environment.large_converter.at_once or 0)
    return limits | {
        "small converters": reserved / converting,
        "other Lambdas at once": (environment.account_concurrency - both) / others,
    }


def _drop_limits(environment: Environment) -> dict[str, float]:
    rounds = BATCH / MESSAGES_AT_ONCE
    starter = BATCH / (rounds * STARTER.seconds + RECEIVE_SECONDS)
    running = fmean(execution_seconds())
    return {
        "starters": environment.ingest.parallel_starts * starter,
        "executions at once": environment.executions_at_once / running,
    }


def _batch_limits(environment: Environment, slower: float = 1.0) -> dict[str, float]:
    """Return what children with a batch each allow, whose slots take the next master when free.

    An ingest takes `slower` times its time.
    """
    dice, seconds = random.Random(1), execution_seconds()

    def live() -> float:
        slots = [0.0] * environment.migrations_per_child
        heapify(slots)
        for _ in range(MASTERS_PER_CHILD):
            heapreplace(slots, slots[0] + seen_after(slower * dice.choice(seconds)))
        return max(slots)

    lives = fmean(live() for _ in range(SAMPLE // MASTERS_PER_CHILD))
    return {
        "children at once": environment.migration_children * MASTERS_PER_CHILD / lives,
        "dispatch of children": float(MAP_DISPATCHES * MASTERS_PER_CHILD),
    }


def seen_after(lasts: float) -> float:
    """Return when MigrateMaster sees the end of an ingest, in seconds after it took the master."""
    first_try = REQUESTS_OF_A_TRY * REQUEST_SECONDS
    passed = first_try + FIRST_LOOK_SECONDS
    while passed < first_try + lasts:
        passed += LATER_LOOK * passed
    return passed


def ways() -> Sequence[Way]:
    """Return the ways into the service."""
    return (
        Way(name="a drop into the bucket", limits=_drop_limits),
        Way(
            name="`masters migrate`",
            limits=_batch_limits,
            transitions=BATCH_TRANSITIONS / MASTERS_PER_CHILD,
            usd=migration_usd(),
        ),
    )


def ingest_usd() -> float:
    """Return USD for the ingest of one image."""
    return sum(charge.usd(PROD.region) for charge in charges(measured_image()))


def migration_usd() -> float:
    """Return USD that a migration adds to an image that is in the masters bucket and is new."""
    services = ("Lambda", "Step Functions", "S3 requests", "DynamoDB")
    measured = measured_image()
    one = Work(
        images=1,
        checked=0,
        imported=0,
        master_bytes=round(measured.master_bytes),
        access_master_bytes=round(measured.access_master_bytes),
        pixels=round(measured.megapixels * 1e6),
    )
    ingest = sum(
        charge.usd(PROD.region)
        for charge in charges(measured)
        if charge.price.partition(",")[0] in ("Lambda", "Step Functions", "S3", "DynamoDB")
    )
    return sum(estimate(one, PROD.region).once[service] for service in services) - ingest


def page() -> str:
    """Return the page as Markdown."""
    return "\n".join(_page())


def _page() -> Iterator[str]:
    yield "# Ingest rate\n"
    yield paragraph(
        "How fast `prod` ingests in eu-west-1, by a model of what AWS documents: Lambda's "
        "concurrency and pollers, the quotas of Step Functions, and the design's own limits. "
        "Nothing of this size was run on AWS. Generated by `make docs` from "
        "`docs/build/ingest_rate.py`."
    )
    yield ""
    seconds, folder = execution_seconds(), read_index()[RUN].path.relative_to(ROOT)
    yield paragraph(
        f"An ingest takes {fmean(seconds):.1f} s on average and {max(seconds):.1f} s at most: "
        f"{len(seconds)} masters of the benchmark (`{folder}/run.json`), on a "
        "Lambda as [36 million images](../explanations/scale.md) assumes. Step Functions' own "
        "time and cold starts are not in it."
    )
    yield "\n## Images a second\n"
    yield "| way |" + "".join(f" {name} | limited by |" for name in ACCOUNTS)
    yield "|---|" + "---:|---|" * len(ACCOUNTS)
    for way in ways():
        found = [way.find_limit(environment) for environment in ACCOUNTS.values()]
        yield f"| {way.name} |" + "".join(f" {rate:,.1f} | {what} |" for rate, what in found)
    yield ""
    yield paragraph(
        f"`prod` has {PROD.migration_children} children of {MASTERS_PER_CHILD} masters at once, "
        f"{PROD.migrations_per_child} of them in progress, and {PROD.ingest.parallel_starts} "
        f"starters, which each follow {MESSAGES_AT_ONCE} messages at a time. More starters would "
        "meet the quota of ListExecutions (5 a second), which each asks every two seconds. A queue "
        "has five pollers from its first message on."
    )
    yield "\n## Hours, transitions and dollars\n"
    yield paragraph("With default quotas; dollars are those of one ingest, storage excluded.")
    yield ""
    hours = [f"hours for {count} million" for count in MILLIONS]
    dollars = [f"USD for {count} million" for count in MILLIONS]
    yield table(["way", *hours, "transitions an image", "USD an image", *dollars], [*_sums()])
    yield from _remarks()


def _sums() -> Iterator[list[str]]:
    for way in ways():
        rate, _ = way.find_limit(PROD)
        usd = ingest_usd() + way.usd
        yield [
            way.name,
            *(f"{count * 1e6 / rate / HOUR:,.1f}" for count in MILLIONS),
            f"{TRANSITIONS + way.transitions:.2f}",
            f"{usd:.6f}",
            *(f"{count * 1e6 * usd:,.0f}" for count in MILLIONS),
        ]


def _remarks() -> Iterator[str]:
    yield paragraph(
        f"- {TRANSITIONS} of the transitions are those of the ingest's own state machine: its "
        "start, ConvertMaster, VerifyAccessMaster and PublishImage. A master for the large Lambda "
        "makes one more, since the small one reads its header first; a giant makes five more.",
        "  ",
    )
    rate = min(_batch_limits(PROD, SLOWER).values())
    yield paragraph(
        f"- If every ingest took {SLOWER} times as long "
        f"({SLOWER * fmean(execution_seconds()):.1f} s), `masters migrate` would do {rate:.0f} "
        "images a second.",
        "  ",
    )
    yield paragraph(
        "- A giant keeps its child until it is converted, so that many giants among small masters "
        "make a migration slower than this.",
        "  ",
    )
    yield paragraph(
        "- Not confirmed: that a Lambda of 1 GiB has the CPU for the requests of "
        f"{PROD.migrations_per_child} threads, and one of 512 MB for those of {MESSAGES_AT_ONCE}.",
        "  ",
    )
    yield ""
