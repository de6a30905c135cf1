"""The work of ingesting one image: requests, seconds, and what each is charged as.

The one model of it: the report of a migration, the capacity planner, the load tests and the pages
in docs/ take theirs from here. What a conversion costs was measured: `measured_image.toml`.
"""

import math
import tomllib
from dataclasses import dataclass
from pathlib import Path

from vitrine.costs.prices import price

_MEASURED_IMAGE = Path(__file__).with_name("measured_image.toml")

SLOWER = 1.5
"""Assumed: how much slower a Lambda's virtual CPU is than the machine that was measured on."""
NETWORK_BYTES = 625e6 / 8
"""Per second and Lambda (Lambda quotas: 625 Mbit/s)."""
REQUEST_SECONDS = 0.03
"""Assumed: one request to S3, DynamoDB or Step Functions, from its sending to its answer."""
MEBIBYTE = 1024 * 1024
PART_IN, PART_OUT = 16 * MEBIBYTE, 6 * MEBIBYTE
"""Bytes of a master per GET (vitrine/adapters/aws), of an access master per PUT (the writer)."""
LOG_BYTES = 6_000

STATES = 3
"""ConvertMaster, VerifyAccessMaster, PublishImage."""
TRANSITIONS = STATES + 1
"""The start is one."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One Lambda: what it has, and what it asks of others for one image, one after the other."""

    name: str
    mebibytes: int
    gets: int = 0
    """S3 GET and HEAD; the converter's parts come on top."""
    puts: int = 0
    """S3 PUT, POST and LIST."""
    reads: int = 0
    """DynamoDB read request units."""
    writes: int = 0
    """DynamoDB write request units, indexes included."""
    others: int = 0
    """StartExecution, PutEvents, ListExecutions."""

    @property
    def seconds(self) -> float:
        """The time spent waiting for answers, which is all but a conversion."""
        requests = self.gets + self.puts + self.reads + self.writes / 2 + self.others
        return REQUEST_SECONDS * requests


STARTER = Step(name="StartIngest", mebibytes=512, gets=1, reads=1, writes=2, others=2)
CONVERTER = Step(name="ConvertMaster", mebibytes=1769, gets=9, reads=1)
STEPS = (
    STARTER,
    CONVERTER,
    Step(name="VerifyAccessMaster", mebibytes=1024, gets=36),
    Step(name="PublishImage", mebibytes=512, gets=3, puts=1, reads=4, writes=5, others=2),
    Step(name="UpdateGallery and the edge's cache", mebibytes=512, gets=1, puts=1, reads=1),
)
"""Upper bounds for one new image; `tests/unit/ingest/start/test_requests.py` counts them."""
QUEUE_REQUESTS = 12
"""Four queues: a send, a receive, a deletion each, as if none came in batches."""
CHECK_READS = 1
"""DynamoDB read request units: the patrol compares S3's own notification with the outcome."""
EVENTS_OF_S3, EVENTS_OF_OURS = 1, 2


@dataclass(frozen=True, kw_only=True)
class ImageWork:
    """One image as far as its ingest depends on it."""

    megapixels: float
    master_bytes: float
    access_master_bytes: float
    cpu_seconds: float
    """CPU seconds of all Lambdas together, on a core of the machine that was measured on; estimated
    as if the converter spent them all."""

    @property
    def convert_seconds(self) -> float:
        """One conversion on a Lambda of one virtual CPU."""
        moved = (self.master_bytes + self.access_master_bytes) / NETWORK_BYTES
        return self.cpu_seconds * SLOWER + moved + CONVERTER.seconds

    @property
    def execution_seconds(self) -> float:
        """One execution from its start to its end, when nothing waits."""
        steps = [step for step in STEPS[1:4] if step is not CONVERTER]
        return self.convert_seconds + sum(step.seconds for step in steps)

    @property
    def gets(self) -> int:
        """S3 GET and HEAD requests."""
        return sum(step.gets for step in STEPS) + math.ceil(self.master_bytes / PART_IN)

    @property
    def puts(self) -> int:
        """S3 PUT, POST and LIST requests; the curator's upload is not ours."""
        parts = math.ceil(self.access_master_bytes / PART_OUT) + 3
        return sum(step.puts for step in STEPS) + parts


@dataclass(frozen=True, kw_only=True)
class MeasuredImage(ImageWork):
    """The mean image of the ingest benchmark, and where its figures lie."""

    source: str
    measured_at: str


def measured_image() -> MeasuredImage:
    """Return what was measured: the one set of constants that estimates start from."""
    return MeasuredImage(**tomllib.loads(_MEASURED_IMAGE.read_text()))


def image_work(*, megapixels: float, master_bytes: float, access_master_bytes: float) -> ImageWork:
    """Return the work of an image of these sizes, whose pixels cost as much as those measured."""
    measured = measured_image()
    return ImageWork(
        megapixels=megapixels,
        master_bytes=master_bytes,
        access_master_bytes=access_master_bytes,
        cpu_seconds=measured.cpu_seconds * megapixels / measured.megapixels,
    )


@dataclass(frozen=True)
class Charge:
    """One line of the bill: `quantity` per image of what `price` is asked for."""

    price: str
    quantity: float
    what: str

    def usd(self, region: str) -> float:
        """Return USD for one image."""
        return self.quantity * price(self.price, region).usd


def charges(image: ImageWork) -> list[Charge]:
    """Return the charges of one new image; none depends on how many are worked on at once."""
    converted = image.convert_seconds * CONVERTER.mebibytes / 1024
    others = sum(step.seconds * step.mebibytes / 1024 for step in STEPS if step is not CONVERTER)
    reads, writes = sum(step.reads for step in STEPS), sum(step.writes for step in STEPS)
    events = EVENTS_OF_S3 + EVENTS_OF_OURS
    return [
        Charge("Lambda, GB-second", converted, "converting"),
        Charge("Lambda, GB-second", others, "all other steps"),
        Charge("Lambda, million requests", len(STEPS) / 1e6, "all steps"),
        Charge("Step Functions, thousand transitions", TRANSITIONS / 1e3, "one execution"),
        Charge("S3, thousand GET", image.gets / 1e3, "masters, access masters"),
        Charge("S3, thousand PUT", image.puts / 1e3, "access masters, journal"),
        Charge("DynamoDB, million writes", writes / 1e6, "outcomes, identifiers, their indexes"),
        Charge("DynamoDB, million reads", (reads + CHECK_READS) / 1e6, "the same"),
        Charge("EventBridge, million events", events / 1e6, "S3's and ours"),
        Charge("SQS, million requests", QUEUE_REQUESTS / 1e6, "four queues"),
        Charge("CloudWatch Logs, GB", LOG_BYTES / 1e9, "one line a step, its metrics"),
    ]
