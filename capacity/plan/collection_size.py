"""What a collection weighs, where it is kept, and what ingesting an image of it takes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

from capacity.model.image_collection import SPREAD
from capacity.plan.question import Question
from capacity.plan.storage_tiers import Tiers, tiers_of
from vitrine.costs.ingest_work import Charge, ImageWork, charges
from vitrine.costs.kept_objects import first_days

RECORD_BYTES = 2_000
"""Assumed: of an image in both tables, indexes included."""


@dataclass(frozen=True)
class CollectionSize:
    """Bytes that are kept, and what is ingested in a month."""

    access_master_bytes: float
    master_bytes: float
    record_bytes: float
    new_images: float
    """Per month."""
    charges: Sequence[Charge]
    """Charges for one image."""
    images: int
    tiers: Tiers
    """Tiers of the access masters."""

    @property
    def new_master_bytes(self) -> float:
        """Bytes of a month's new masters."""
        return self.master_bytes * self.new_images / self.images if self.images else 0.0

    def ingest_usd(self, region: str) -> dict[str, float]:
        """Return what ingesting all of it costs once, by what it is for."""
        first = first_days(self.images, self.master_bytes, region)
        return {
            "converting and its requests": self.images * sum(c.usd(region) for c in self.charges),
            "the masters' first day in S3 Standard": first.standard,
            "moving masters to Glacier Instant Retrieval": first.transitions,
        }


def size_collection(question: Question, measured: ImageWork) -> CollectionSize:
    """Return the collection whose images are like those measured, but for their size."""
    mean = question.megapixels * exp(SPREAD**2 / 2)
    scale = mean / measured.megapixels
    image = replace(
        measured,
        megapixels=mean,
        master_bytes=measured.master_bytes * scale,
        access_master_bytes=measured.access_master_bytes * scale,
        cpu_seconds=measured.cpu_seconds * scale,
    )
    return CollectionSize(
        access_master_bytes=question.images * image.access_master_bytes,
        master_bytes=question.images * image.master_bytes,
        record_bytes=question.images * RECORD_BYTES,
        new_images=question.images * question.new_percent / 100,
        charges=charges(image),
        images=question.images,
        tiers=tiers_of(question.traffic()),
    )
