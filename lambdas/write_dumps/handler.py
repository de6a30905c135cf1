"""The dumps and sitemaps, by the clock: what is published -> files at the edge, if it changed."""

from typing import Any

from vitrine.adapters.aws.lambda_step import count, lambda_step
from vitrine.bootstrap.site import site_and_base
from vitrine.errors import TransientError
from vitrine.present.dumps.update import update_dumps

LEAST_MILLISECONDS = 60_000
"""Enough to write the files that are ready."""


@lambda_step("write_dumps")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Bring the dumps up to date; raises TransientError, and the next run tries again."""

    def check_time(objects: int) -> None:
        if context.get_remaining_time_in_millis() < LEAST_MILLISECONDS:
            raise TransientError(
                f"only {objects:,} objects were looked at in time: write the dump from a machine "
                "once, with `vitrine collection dump --environment NAME`"
            )

    done = update_dumps(*site_and_base(), on_progress=check_time)
    count(
        "write_dumps",
        {
            "objects_read": done.read,
            "dumps_written": done.written,
            "publications_damaged": done.damaged,
        },
    )
    return vars(done)
