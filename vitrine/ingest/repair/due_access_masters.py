"""Live images whose access master is gone, or of an older recipe: one request for each.

The walk over the bucket finds what was deleted and still has a delete marker. It cannot find what
nothing is listed of, as after the loss of the bucket.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from vitrine.errors import ObjectMissing
from vitrine.ingest.services import IngestServices
from vitrine.records import Live, Outcome

THREADS = 16


def find_due(
    services: IngestServices, outcomes: Sequence[Outcome], *, older: bool
) -> Iterator[tuple[Outcome, str]]:
    """Yield the outcomes of masters to be converted again, each with "missing" or "older".

    Access masters of another recipe than the present one count only if `older`. Raises
    TransientError.
    """
    published = {
        outcome.published_as or outcome.identifier: outcome
        for outcome in outcomes
        if outcome.state == "published"
    }
    records = services.identifiers.get_many(set(published))
    images = [record for record in records.values() if isinstance(record, Live)]

    def find_reason(image: Live) -> str:
        try:
            info = services.access_masters.head(image.access_master_key)
        except ObjectMissing:
            return "missing"
        is_older = info.metadata.get("recipe") != services.recipe.label
        return "older" if older and is_older else ""

    with ThreadPoolExecutor(THREADS, thread_name_prefix="access-masters") as threads:
        for image, reason in zip(images, threads.map(find_reason, images), strict=True):
            if reason:
                yield published[image.identifier], reason
