"""Search and facets: changed objects -> the index and the lists of facets, once for a batch."""

from typing import Any

from vitrine.adapters.aws.lambda_step import count, lambda_step
from vitrine.bootstrap.site import site_and_base
from vitrine.errors import TransientError
from vitrine.present.search.update import update_search

LEAST_MILLISECONDS = 180_000
"""Enough to write the files that differ."""


@lambda_step("update_search")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Bring the search up to date: what a message says of an object is a hint, the bucket counts.

    Raises TransientError, and all messages come again.
    """

    def check_time(objects: int) -> None:
        if context.get_remaining_time_in_millis() < LEAST_MILLISECONDS:
            raise TransientError(
                f"only {objects:,} objects were looked at in time: bring the search up to date "
                "from a machine once, with `vitrine collection index --environment NAME`"
            )

    done = update_search(*site_and_base(), on_progress=check_time)
    count("update_search", {"objects_read": done.read, "files_written": done.written})
    return {"batchItemFailures": []}
