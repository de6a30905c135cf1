"""Masters against their outcomes: one batch of reads for a page of keys.

What cannot be started now is sent to the uploads queue, where uploads wait as well.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from vitrine.ingest.repair.due_access_masters import find_due
from vitrine.ingest.repair.lost_executions import find_lost
from vitrine.ingest.repair.notifications import Notification
from vitrine.ingest.repair.reconcile_rules import Crowded, Rules
from vitrine.ingest.start.start_ingest import StartResult, start_ingest, start_withdrawal
from vitrine.ingest.start.upload_hints import Hint, StarterServices
from vitrine.ports import ListedObject
from vitrine.records import Outcome

FULL = 100_000
"""With more uploads waiting the walk stops: otherwise the next one would queue them again."""
_COUNTED = {StartResult.REJECTED: "rejected", StartResult.WITHDRAWING: "withdrawing"}

_AGAIN = {"missing": "restarted", "recipe": "renewed"}
"""Counters of masters that are converted again, by the reason."""


class MastersWalk:
    """The walk over the masters bucket."""

    def __init__(self, services: StarterServices, rules: Rules, counts: Counter[str]) -> None:
        self.store = services.ingest.masters
        self._services = services.ingest
        self._throttle = services.throttle
        self._uploads = services.uploads
        self._rules = rules
        self._counts = counts
        self._room = 0

    def reconcile(self, entries: Sequence[ListedObject]) -> None:
        """Start missing ingests and withdrawals. Raises Crowded, TransientError."""
        self._room = FULL - self._uploads.length()
        outcomes = self._services.outcomes.get_many({entry.key for entry in entries})
        for entry in entries:
            outcome = outcomes.get(entry.key)
            if entry.deleted:
                if outcome and outcome.state != "withdrawn":
                    self._withdraw_image(entry, outcome)
            elif outcome is None or outcome.master_version != entry.version:
                self._start_ingest(entry.key, "started")
            elif outcome.ended_in_absence:
                self._start_ingest(entry.key, "restarted")
            elif self._is_lost(outcome):
                self._start_ingest(entry.key, "restarted", outcome.execution)
        rules = self._rules
        if rules.asks_for_access_masters or rules.renews_access_masters:
            present = [outcomes[item.key] for item in entries if item.key in outcomes]
            recipe_too = rules.renews_access_masters
            for outcome, reason in find_due(self._services, present, recipe_too=recipe_too):
                self._start_ingest(outcome.master_key, _AGAIN[reason], outcome.execution)
        self._counts["masters"] += sum(not entry.deleted for entry in entries)

    def follow(self, notifications: Sequence[Notification]) -> None:
        """Start what S3 reported and no event started. Raises Crowded, TransientError."""
        self.reconcile(
            [ListedObject(one.key, one.version, "") for one in notifications if one.created]
        )
        removed = [one.key for one in notifications if not one.created]
        for key, outcome in self._services.outcomes.get_many(set(removed)).items():
            if outcome.state != "withdrawn":
                self._start_ingest(key, "started")

    def restart(self, lost: Iterable[Outcome]) -> None:
        """Start masters again whose execution was lost. Raises Crowded, TransientError."""
        self._room = FULL - self._uploads.length()
        for outcome in lost:
            self._start_ingest(outcome.master_key, "restarted", outcome.execution)

    def _is_lost(self, outcome: Outcome) -> bool:
        if outcome.state == "running" and outcome.changed_at < self._rules.unfinished_before:
            return True
        return any(find_lost([outcome], self._services.pipeline, self._rules.lost_before))

    def _start_ingest(self, key: str, counted: str, redrives: str = "") -> None:
        if self._rules.dry_run:
            # An object that only stands for a folder is counted as checked, and not started.
            self._counts[counted] += not key.endswith("/")
            return
        if not self._throttle.take_slot():
            self._queue_hint(Hint(master_key=key, redrives=redrives))
            return
        started = start_ingest(self._services, key, redrives)
        if started is StartResult.STARTED:
            self._counts[counted] += 1
            return
        self._throttle.give_slot_back()
        if started in _COUNTED:
            self._counts[_COUNTED[started]] += 1

    def _queue_hint(self, hint: Hint) -> None:
        if self._room <= 0:
            raise Crowded
        self._uploads.send(hint.as_body())
        self._room -= 1
        self._counts["queued"] += 1

    def _withdraw_image(self, entry: ListedObject, outcome: Outcome) -> None:
        if self._rules.dry_run:
            self._counts["withdrawing"] += 1
            return
        overdue = entry.modified < self._rules.withdrawn_before
        attempt = self._rules.attempt if overdue else ""
        started = start_withdrawal(self._services, outcome, entry.version, attempt)
        self._counts["withdrawing"] += started is StartResult.WITHDRAWING
