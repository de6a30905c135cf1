"""Search, facets and texts: changed objects -> the indexes and the lists, once for a batch."""

from typing import Any

from vitrine.adapters.aws.lambda_step import count, lambda_step, log_record
from vitrine.adapters.aws.sqs_batch import give_one_back
from vitrine.bootstrap.own_queue import own_queue
from vitrine.bootstrap.site import site_and_base
from vitrine.errors import TransientError
from vitrine.search.full_text.update import update_full_text
from vitrine.search.titles.update import update_search
from vitrine.slices import Slice
from vitrine.store.changed_publications import TextIndexes

MIN_MILLISECONDS = 180_000
"""Enough to write the files that differ, or to finish the segment of texts that was begun."""
ADVICE = "from a machine once, with `vitrine collection index --environment NAME`"


@lambda_step("update_search")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Bring the searches up to date: what a message says of an object is a hint, the bucket counts.

    What there was no time for is gone on with: one message comes again at once, as often as a
    message is received before it goes to the dead letters. Raises TransientError, also if nothing
    was done at all; then all messages come again when they are visible.
    """

    time = Slice(context.get_remaining_time_in_millis, MIN_MILLISECONDS)

    def check_time(objects: int) -> None:
        if not time.has_time():
            raise TransientError(
                f"only {objects:,} objects were looked at in time: bring the search up to date "
                f"{ADVICE}"
            )

    site, base = site_and_base()
    noted: TextIndexes = {}
    done = update_search(site, base, on_progress=check_time, texts=noted)
    texts = update_full_text(site, most_seconds=time.seconds_left(), texts=noted)
    count(
        "update_search",
        {
            "objects_read": done.read,
            "files_written": done.written,
            "texts_added": texts.added,
            "texts_removed": texts.removed,
        },
    )
    if texts.is_complete:
        return {"batchItemFailures": []}
    if not texts.has_advanced:
        raise TransientError(
            f"there was no time for any text: bring the search up to date {ADVICE}"
        )
    log_record("update_search", "texts are left to the next run", vars(texts))
    return give_one_back(event, own_queue(event))
