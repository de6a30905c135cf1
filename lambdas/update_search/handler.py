"""Search, facets and texts: changed objects -> the indexes and the lists, once for a batch."""

from typing import Any

from vitrine.adapters.aws.lambda_step import count, lambda_step
from vitrine.bootstrap.site import site_and_base
from vitrine.errors import TransientError
from vitrine.present.across.update import update_across
from vitrine.present.search.update import update_search

LEAST_MILLISECONDS = 180_000
"""Enough to write the files that differ, or to finish the segment of texts that was begun."""
ADVICE = "from a machine once, with `vitrine collection index --environment NAME`"


@lambda_step("update_search")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Bring the searches up to date: what a message says of an object is a hint, the bucket counts.

    Raises TransientError, and all messages come again; what was done of the texts stays.
    """

    def remaining() -> int:
        left: int = context.get_remaining_time_in_millis()
        return left - LEAST_MILLISECONDS

    def check_time(objects: int) -> None:
        if remaining() < 0:
            raise TransientError(
                f"only {objects:,} objects were looked at in time: bring the search up to date "
                f"{ADVICE}"
            )

    site, base = site_and_base()
    done = update_search(site, base, on_progress=check_time)
    texts = update_across(site, most_seconds=max(remaining(), 0) / 1_000)
    count(
        "update_search",
        {
            "objects_read": done.read,
            "files_written": done.written,
            "texts_added": texts.added,
            "texts_removed": texts.removed,
        },
    )
    if not texts.is_complete:
        raise TransientError(
            f"{texts.added:,} texts were added in time, and the rest by the next run: do that "
            f"{ADVICE}"
        )
    return {"batchItemFailures": []}
