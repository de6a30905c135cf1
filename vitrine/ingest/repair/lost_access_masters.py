"""Live images whose access master is gone, as after the loss of the bucket: one request for each.

The walk over the bucket finds what was deleted and still has a delete marker. It cannot find what
nothing is listed of.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from vitrine.errors import ObjectMissing
from vitrine.ingest.services import IngestServices
from vitrine.records import Live, Outcome

THREADS = 16


def find_unservable(services: IngestServices, outcomes: Sequence[Outcome]) -> Iterator[Outcome]:
    """Yield the outcomes of masters whose live image has no access master.

    Raises TransientError.
    """
    published = {
        outcome.published_as or outcome.identifier: outcome
        for outcome in outcomes
        if outcome.state == "published"
    }
    records = services.identifiers.get_many(set(published))
    images = [record for record in records.values() if isinstance(record, Live)]

    def is_missing(image: Live) -> bool:
        try:
            services.access_masters.head(image.access_master_key)
        except ObjectMissing:
            return True
        return False

    with ThreadPoolExecutor(THREADS, thread_name_prefix="access-masters") as threads:
        for image, missing in zip(images, threads.map(is_missing, images), strict=True):
            if missing:
                yield published[image.identifier]
