"""The audit of all redirects: does each lead to an image, in one step?"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from vitrine.errors import IdentifierRefused, RecordDamaged
from vitrine.identify.redirects.bulk import BATCH, Workers
from vitrine.identify.redirects.redirects import Redirects
from vitrine.records import Record, Redirect, Removed
from vitrine.slices import split_batches

ADVICE = {
    "loop": "remove one redirect of the circle: vitrine redirects remove ID",
    "chain": "nothing is broken, readers follow it; to collapse it: vitrine redirects check --mend",
    "dangling": "it answers 404 until the target is published; or: vitrine redirects remove ID",
}
"""Advice for each code."""


@dataclass(frozen=True, slots=True)
class RedirectFinding:
    """A redirect that is not as it should be: a `loop`, a `chain` or `dangling`."""

    code: str
    redirect: Redirect
    end: str
    """The last identifier of its chain; empty for a loop."""


def audit_redirects(
    redirects: Redirects, workers: Workers, on_progress: Callable[[int], None] = lambda done: None
) -> Iterator[RedirectFinding]:
    """Yield the redirects that are not as they should be; raises TransientError.

    `on_progress` is called with the number of redirects examined so far.
    """
    table = redirects.register.table

    def examine(batch: list[Redirect]) -> tuple[int, list[RedirectFinding]]:
        targets = table.get_many([item.target for item in batch])
        findings = [_examine_redirect(redirects, item, targets.get(item.target)) for item in batch]
        return len(batch), [finding for finding in findings if finding]

    done = 0
    for count, findings in workers.map(examine, split_batches(table.redirects(), BATCH)):
        done += count
        on_progress(done)
        yield from findings


def _examine_redirect(
    redirects: Redirects, redirect: Redirect, target: Record | RecordDamaged | None
) -> RedirectFinding | None:
    if isinstance(target, RecordDamaged):
        return None  # whatever it is, it is no fault of the redirect
    if target is None or isinstance(target, Removed):
        return RedirectFinding("dangling", redirect, redirect.target)
    if not isinstance(target, Redirect):
        return None
    try:
        end, _ = redirects.follow(redirect.target, away_from=redirect.identifier)
    except IdentifierRefused:
        return RedirectFinding("loop", redirect, "")
    # The index lags: a chain that it shows may have been collapsed since.
    return RedirectFinding("chain", redirect, end) if end != redirect.target else None
