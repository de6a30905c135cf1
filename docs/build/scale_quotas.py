"""Quotas that an ingest at full speed meets, with their sources."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Load:
    """What a setting asks for: a second, or at once where the name says so."""

    starts: float
    transitions: float
    open_executions: float
    listings: float
    lambdas: float
    """At once, reserved ones included."""
    events: float
    own_events: float
    masters_gets: float
    """If all masters lie under one prefix."""
    access_puts: float
    """Spread over 256 prefixes, which S3 splits only under load."""
    outcome_writes: float
    """DynamoDB write units, the index's included."""


@dataclass(frozen=True, kw_only=True)
class Quota:
    """One quota. `load` says what of a load counts against it."""

    name: str
    limit: float
    raised: str
    """Can it be? And what happens at it."""
    source: str
    load: Callable[[Load], float]


QUOTAS: tuple[Quota, ...] = (
    Quota(
        name="Step Functions: StartExecution, a second",
        limit=300,
        raised="soft; the bucket holds 1,300 more. The starter's message comes again",
        source="Step Functions service quotas, us-east-1, us-west-2, eu-west-1",
        load=lambda load: load.starts,
    ),
    Quota(
        name="Step Functions: state transitions, a second",
        limit=5_000,
        raised="soft; executions wait",
        source="Step Functions service quotas, the same three regions (800 elsewhere)",
        load=lambda load: load.transitions,
    ),
    Quota(
        name="Step Functions: open executions",
        limit=1_000_000,
        raised="soft",
        source="Step Functions service quotas",
        load=lambda load: load.open_executions,
    ),
    Quota(
        name="Step Functions: events in one history, without retries",
        limit=25_000,
        raised="hard; 84 tries of each step with 4 events each stay below 3,000",
        source="Step Functions service quotas",
        load=lambda load: 30,
    ),
    Quota(
        name="Lambda: functions at once",
        limit=1_000,
        raised="soft; 100 must remain unreserved, so 900 can be converters",
        source="Lambda quotas",
        load=lambda load: load.lambdas,
    ),
    Quota(
        name="EventBridge: targets invoked, a second",
        limit=18_750,
        raised="soft; beyond it events are delayed, not lost",
        source="EventBridge quotas, the same three regions",
        load=lambda load: load.events,
    ),
    Quota(
        name="EventBridge: PutEvents, a second",
        limit=10_000,
        raised="soft; publishing is tried again",
        source="EventBridge quotas as others print them; not confirmed",
        load=lambda load: load.own_events,
    ),
    Quota(
        name="S3: GET and HEAD under one prefix, a second",
        limit=5_500,
        raised="grows as S3 splits the prefix; 503 and another try until then",
        source='S3, "Best practices design patterns: optimizing S3 performance"',
        load=lambda load: load.masters_gets,
    ),
    Quota(
        name="S3: PUT and POST under one prefix, a second",
        limit=3_500,
        raised="the same; access masters and journal spread over 256 prefixes",
        source="as above",
        load=lambda load: load.access_puts,
    ),
    Quota(
        name="DynamoDB: write units of the table of outcomes, a second",
        limit=4_000,
        raised="our own bound on the bill, and what a new table serves; writes are tried again",
        source="`stacks/constructs/state_table.py`; DynamoDB, on-demand capacity",
        load=lambda load: load.outcome_writes,
    ),
)
"""SQS is left out: a standard queue has no limit on its rate. So is what only
`vitrine masters migrate` meets: Distributed Map dispatches 100 Standard children a second."""
