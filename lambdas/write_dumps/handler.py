"""The dumps and sitemaps, by the clock: what is published -> files at the edge, if it changed."""

from typing import Any

from vitrine.adapters.aws.lambda_step import count, lambda_step
from vitrine.bootstrap.site import site_and_base
from vitrine.errors import TransientError
from vitrine.site.dumps.update import update_dumps
from vitrine.slices import Slice
from vitrine.store.omissions import read_omissions

MIN_MILLISECONDS = 60_000
"""Enough to write the files that are ready."""


@lambda_step("write_dumps")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Bring the dumps up to date, and count what any part of the service leaves out.

    Raises TransientError, and the next run tries again.
    """

    time = Slice(context.get_remaining_time_in_millis, MIN_MILLISECONDS)

    def check_time(objects: int) -> None:
        if not time.has_time():
            raise TransientError(
                f"only {objects:,} objects were looked at in time: write the dump from a machine "
                "once, with `vitrine collection dump --environment NAME`"
            )

    site, base = site_and_base()
    done = update_dumps(site, base, on_progress=check_time)
    count(
        "write_dumps",
        {
            "objects_read": done.read,
            "dumps_written": done.written,
        },
    )
    if left_out := {omission.identifier for _, omission in read_omissions(site)}:
        # What no part leaves out has no metric, which costs nothing.
        count("write_dumps", {"objects_left_out": len(left_out)})
    return vars(done)
