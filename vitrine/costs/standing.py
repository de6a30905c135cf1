"""What is paid for while nothing happens, but for tasks: as the templates deploy it.

`tests/infrastructure/test_idle_price.py` counts all of it in the templates of every environment.
"""

from collections.abc import Iterator

from vitrine.costs.prices import HOURS

ALARM_METRICS = 52
"""Metrics that the templates' alarms look at: each is charged as an alarm, several of an expression
too (CloudWatch pricing page)."""
API_ALARM_METRICS = 1
"""One more where there is an API."""
PHOTO_ALARM_METRICS = 1
"""One more where image tasks are a photo door."""
PHOTO_FUNCTION_ALARM_METRICS = 2
"""Or these, where a Lambda is."""
MCP_ALARM_METRICS = 1
"""One more where programs that speak MCP are answered."""
FUNCTION_ALARM_METRICS = 38
"""The same, where a Lambda serves the images."""
COMPOSITE_ALARMS = 2
"""One for each service level, where tasks serve the images."""
EDGE_METRICS = 8
"""CloudFront's additional metrics: hit rate, origin latency, and the shares of six statuses."""
TRACKING_ALARMS = 2
"""Alarms of high resolution: target tracking makes one for scaling out and one for scaling in
(Application Auto Scaling, "Target tracking scaling policies")."""
FREE_ALARM_METRICS = 10
"""Metrics in alarms that are free. This and the next two are what AWS gives every account, every
month, without an end (AWS Free Tier, "Always free"), once for all environments and programs."""
FREE_REQUESTS_MILLIONS = 1
"""Requests to SQS that are free, and as many to Lambda."""
FREE_GIBIBYTE_SECONDS = 400_000
"""Seconds of a Lambda of one GiB that are free."""
POLLED_QUEUES = 7
"""Queues that a Lambda is the worker of."""
POLLERS = 5
"""Pollers of each queue at rest (Lambda, "Using Lambda with Amazon SQS": five at first, and
always)."""
LONG_POLL_SECONDS = 20
"""One empty receive (the same page)."""
PATROL_MINUTES = 5
"""Between two patrols of the reconciler."""
PATROL_SECONDS = 2.0
"""Assumed: a patrol that finds nothing lost. A second of it waits for notifications."""
PATROL_MEBIBYTES = 512
WALK_TRANSITIONS = 4
"""Transitions of a walk over no masters: its start, one task, a choice, and its end."""
UPDATE_MINUTES = 15
"""Between two looks for collections whose update is due."""
UPDATE_SECONDS = 1.0
"""Assumed: a look that finds none."""
UPDATE_MEBIBYTES = 1_769
DUMP_MINUTES = 60
"""Between two looks for what changed since the last dump."""
DUMP_SECONDS = 1.0
"""Assumed: a look where nothing is published."""
DUMP_MEBIBYTES = 1_769
VISIT_HOURS = 24
"""Between two counts of visits."""
VISIT_SECONDS = 2.0
"""Assumed: a count of days without a request."""
VISIT_MEBIBYTES = 1_769
VISIT_REQUESTS = 14
"""Lists of a day and of the next, for the two days that are counted and five that have no file."""
LISTED_AT_ONCE = 1_000
"""Keys in an answer of S3 (ListObjectVersions)."""
IMAGE_GIGABYTES = 0.5
"""Assumed: five container images in ECR, compressed, one revision of each. Nothing deletes older
ones, so it grows with every deployment."""


def polling_millions() -> float:
    """Return the requests to SQS in a month, in millions, when no message ever comes."""
    return POLLED_QUEUES * POLLERS * HOURS * 3600 / LONG_POLL_SECONDS / 1e6


def update_charges() -> Iterator[tuple[str, float]]:
    """Yield what looking for collections takes in a month of which none is on a schedule."""
    looks = HOURS * 60 / UPDATE_MINUTES
    yield "Lambda, million requests", looks / 1e6
    yield "Lambda, GB-second", looks * UPDATE_SECONDS * UPDATE_MEBIBYTES / 1024


def dump_charges() -> Iterator[tuple[str, float]]:
    """Yield what looking for changes takes in a month in which nothing is published."""
    looks = HOURS * 60 / DUMP_MINUTES
    yield "Lambda, million requests", looks / 1e6
    yield "Lambda, GB-second", looks * DUMP_SECONDS * DUMP_MEBIBYTES / 1024
    yield "S3, thousand PUT", looks / 1e3


def visit_charges() -> Iterator[tuple[str, float]]:
    """Yield what counting visits takes in a month in which nobody comes."""
    counts = HOURS / VISIT_HOURS
    yield "Lambda, million requests", counts / 1e6
    yield "Lambda, GB-second", counts * VISIT_SECONDS * VISIT_MEBIBYTES / 1024
    yield "S3, thousand PUT", counts * VISIT_REQUESTS / 1e3


def walk_charges(hours: int) -> Iterator[tuple[str, float]]:
    """Yield what the reconciler's walks over no masters take in a month, one in `hours`."""
    walks = HOURS / hours
    yield "Step Functions, thousand transitions", walks * WALK_TRANSITIONS / 1e3
    yield "Lambda, million requests", walks / 1e6
    yield "Lambda, GB-second", walks * PATROL_SECONDS * PATROL_MEBIBYTES / 1024
    yield "S3, thousand PUT", walks / 1e3


def patrol_charges(images: int) -> Iterator[tuple[str, float]]:
    """Yield what the reconciler's patrols take in a month: item of the price table, quantity.

    Each asks for the running outcomes, the length of a queue, notifications and one page of keys;
    where that page holds all `images`, it reads the outcome of each.
    """
    patrols = HOURS * 60 / PATROL_MINUTES
    outcomes = images if images <= LISTED_AT_ONCE else 0
    yield "Lambda, million requests", patrols / 1e6
    yield "Lambda, GB-second", patrols * PATROL_SECONDS * PATROL_MEBIBYTES / 1024
    yield "S3, thousand PUT", patrols / 1e3
    yield "SQS, million requests", 2 * patrols / 1e6
    yield "DynamoDB, million reads", patrols * (1 + outcomes) / 1e6
