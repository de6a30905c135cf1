"""All redirects of the table, looked at: does each lead to an image, in one step?"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from vitrine.errors import IdentifierRefused
from vitrine.identify.bulk import Workers, batches
from vitrine.identify.redirects import Redirects
from vitrine.records import Record, Redirect, Removed

ADVICE = {
    "loop": "remove one of the circle: vitrine redirect remove ID",
    "chain": "nothing is broken, it is followed; vitrine redirect check --mend collapses it",
    "dangling": "404 until the target is published; or vitrine redirect remove ID",
}
"""What to do, by code."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A redirect that is not as it should be: a `loop`, a `chain` or `dangling`."""

    code: str
    redirect: Redirect
    end: str
    """Where it leads in the end; empty for a loop."""


def audit(
    redirects: Redirects, workers: Workers, on_progress: Callable[[int], None] = lambda done: None
) -> Iterator[Finding]:
    """What is wrong, as it is found; `on_progress` hears how many redirects were looked at.

    Raises TransientError.
    """
    table = redirects.register.table

    def look(batch: list[Redirect]) -> tuple[int, list[Finding]]:
        targets = table.get_many([item.target for item in batch])
        found = [_finding(redirects, item, targets.get(item.target)) for item in batch]
        return len(batch), [finding for finding in found if finding]

    done = 0
    for count, findings in workers.map(look, batches(table.redirects())):
        done += count
        on_progress(done)
        yield from findings


def _finding(redirects: Redirects, item: Redirect, target: Record | None) -> Finding | None:
    if target is None or isinstance(target, Removed):
        return Finding("dangling", item, item.target)
    if not isinstance(target, Redirect):
        return None
    try:
        end, _ = redirects.end(item.target, away_from=item.identifier)
    except IdentifierRefused:
        return Finding("loop", item, "")
    # A reading that lags may have shown what was collapsed since.
    return Finding("chain", item, end) if end != item.target else None
