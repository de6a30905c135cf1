"""What a collection weighs, and what ingesting an image of it takes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

from capacity.model.image_collection import SPREAD
from capacity.plan.question import Question
from vitrine.costs.ingest_work import Charge, ImageWork, charges

RECORD_BYTES = 2_000
"""Assumed: of an image in both tables, indexes included."""


@dataclass(frozen=True)
class CollectionSize:
    """Bytes that are kept, and what is ingested in a month."""

    access_master_bytes: float
    master_bytes: float
    """In Glacier Instant Retrieval, where masters are after a month."""
    record_bytes: float
    new_images: float
    """Per month."""
    charges: Sequence[Charge]
    """Of one image."""
    images: int

    def all_images_usd(self, region: str) -> float:
        """Ingesting all of it, once."""
        return self.images * sum(charge.usd(region) for charge in self.charges)


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
    )
