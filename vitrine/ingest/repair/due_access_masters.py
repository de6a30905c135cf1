"""Live images whose access master is gone, or of another recipe: one request for each.

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
    services: IngestServices, outcomes: Sequence[Outcome], *, recipe_too: bool
) -> Iterator[tuple[Outcome, str]]:
    """Yield the outcomes of masters to be converted again, each with "missing" or "recipe".

    Access masters of another recipe than the present one count only if `recipe_too`. Raises
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
        is_of_another = info.metadata.get("recipe") != services.recipe.label
        return "recipe" if recipe_too and is_of_another else ""

    with ThreadPoolExecutor(THREADS, thread_name_prefix="access-masters") as threads:
        for image, reason in zip(images, threads.map(find_reason, images), strict=True):
            if reason:
                yield published[image.identifier], reason
