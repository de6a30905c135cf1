"""Masters whose outcome says `running` though nothing runs any more.

An execution is lost when Step Functions has forgotten it, as a killed emulator does, when its start
failed after the outcome was written, or when its end was never recorded.
"""

from collections.abc import Iterable, Iterator

from vitrine.ports import Pipeline
from vitrine.records import Outcome


def find_lost(
    outcomes: Iterable[Outcome], pipeline: Pipeline, begun_before: str
) -> Iterator[Outcome]:
    """Yield the running outcomes whose execution does not run.

    Those that began later than `begun_before` (RFC 3339 UTC) are left out: an outcome is written a
    moment before its execution starts, and read a moment after it has ended. Raises TransientError.
    """
    for outcome in outcomes:
        if outcome.state != "running" or outcome.changed_at >= begun_before:
            continue
        if not pipeline.is_running(outcome.execution):
            yield outcome
