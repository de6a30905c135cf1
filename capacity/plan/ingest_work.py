"""What ingesting one image takes: requests, seconds, and what each is charged as.

What a conversion costs is read from the newest run of `vitrine-loadtest study ingest` in results/.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capacity.plan.prices import price

RESULTS = Path(__file__).resolve().parents[2] / "results"

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

STATES = 6
"""ReadHeader, RouteBySize, ConvertMaster, VerifyAccessMaster, PublishImage, Published."""
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
        """Waiting for answers, which is all there is to it beside a conversion."""
        requests = self.gets + self.puts + self.reads + self.writes / 2 + self.others
        return REQUEST_SECONDS * requests


STARTER = Step(name="StartIngest", mebibytes=512, gets=1, reads=1, writes=2, others=2)
CONVERTER = Step(name="ConvertMaster", mebibytes=1769, gets=6)
STEPS = (
    STARTER,
    Step(name="ReadHeader", mebibytes=1024, gets=3, reads=1),
    CONVERTER,
    Step(name="VerifyAccessMaster", mebibytes=1769, gets=36),
    Step(name="PublishImage", mebibytes=512, gets=3, puts=1, reads=2, writes=5, others=2),
    Step(name="UpdateGallery and the edge's cache", mebibytes=512, gets=1, puts=1, reads=1),
)
"""Upper bounds for one new image; `tests/unit/ingest/start/test_requests.py` counts them."""
OUTCOME_WRITES = 5
"""Of all `writes`; the others are the identifier's."""
QUEUE_REQUESTS = 9
"""Three queues: a send, a receive, a deletion each, as if none came in batches."""
EVENTS_OF_S3, EVENTS_OF_OURS = 1, 2


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One image of the benchmark's collection on average, and where the figures lie."""

    folder: str
    measured_at: str
    megapixels: float
    master_bytes: float
    access_master_bytes: float
    cpu_seconds: float
    """Of all Lambdas together; reckoned as if the converter spent them all."""

    @property
    def convert_seconds(self) -> float:
        """One conversion on a Lambda of one virtual CPU."""
        moved = (self.master_bytes + self.access_master_bytes) / NETWORK_BYTES
        return self.cpu_seconds * SLOWER + moved + CONVERTER.seconds

    @property
    def execution_seconds(self) -> float:
        """One execution from its start to its end, when nothing waits."""
        steps = [step for step in STEPS[1:5] if step is not CONVERTER]
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


def measured(results: Path = RESULTS) -> Measured:
    """From the newest run. Raises FileNotFoundError when there is none."""
    folders = sorted(path.parent for path in results.glob("*-ingest/run.json"))
    if not folders:
        raise FileNotFoundError("no run of `vitrine-loadtest study ingest` in results/")
    run: dict[str, Any] = json.loads((folders[-1] / "run.json").read_text())
    rounds = run["figures"]["collections"]
    images = sum(row["images"] for row in rounds)
    return Measured(
        folder=f"results/{folders[-1].name}",
        measured_at=run["machine"]["measured_at"][:10],
        megapixels=sum(row["megapixels"] for row in rounds) / images,
        master_bytes=sum(row["bytes"] for row in rounds) / images,
        access_master_bytes=sum(row["access_master_bytes"] for row in rounds) / images,
        cpu_seconds=sum(row["cpu_seconds"]["lambdas"] for row in rounds) / images,
    )


@dataclass(frozen=True)
class Charge:
    """One line of the bill: `quantity` per image of what `price` is asked for."""

    price: str
    quantity: float
    what: str

    def usd(self, region: str) -> float:
        """For one image."""
        return self.quantity * price(self.price, region).usd


def charges(image: Measured) -> list[Charge]:
    """For one image that is new; nothing in it depends on how many are worked on at once."""
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
        Charge("DynamoDB, million reads", reads / 1e6, "the same"),
        Charge("EventBridge, million events", events / 1e6, "S3's and ours"),
        Charge("SQS, million requests", QUEUE_REQUESTS / 1e6, "three queues"),
        Charge("CloudWatch Logs, GB", LOG_BYTES / 1e9, "one line a step, its metrics"),
    ]
