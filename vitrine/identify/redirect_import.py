"""Redirects by the thousand: planned against the table, then written; a second run goes on."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from vitrine.errors import IdentifierRefused
from vitrine.identify.bulk import BATCH, GatheredEvents, Workers, batches
from vitrine.identify.changes import redirected
from vitrine.identify.decide import LONGEST_CHAIN
from vitrine.identify.redirect_audit import audit
from vitrine.identify.redirect_file import Fault, Row
from vitrine.identify.redirect_plan import Plan
from vitrine.identify.redirects import Redirects
from vitrine.identify.register import Decide
from vitrine.ports import EventBus, IdentifierTable
from vitrine.records import Record, Redirect
from vitrine.store.clock import now

FEW = 1_000
"""Up to so many redirects each looks for others that point at it. Beyond, all redirects of the
table are read once instead, which costs less than so many questions."""

Progress = Callable[[str, int, int | None], None]
"""Hears of a stage, how much of it is done, and how much there is of it."""


def silent(stage: str, done: int, total: int | None) -> None:
    """Nobody watches."""


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """How an import treats what it meets."""

    replace_live: bool = False
    replace_withdrawn: bool = False
    allow_dangling: bool = False


@dataclass(frozen=True, kw_only=True)
class Written:
    """What an import did. `refused` is what changed between plan and writing."""

    counts: Counter[str]
    refused: list[Fault] = field(default_factory=list)


def make_plan(
    redirects: Redirects,
    plan: Plan,
    rows: Iterable[Row | Fault],
    wishes: Wishes,
    workers: Workers,
    progress: Progress = silent,
) -> None:
    """Compare the rows of a file with each other and with the table. Raises TransientError.

    A chain leads to its end, be it within the file, in the table or through both.
    """
    table = redirects.register.table
    plan.load(rows)
    total = plan.counts["rows"]
    answers = workers.map(table.get_many, batches(plan.olds()))
    for number, records in enumerate(answers, start=1):
        plan.met(records.values())
        progress("comparing", min(total, number * BATCH), total)
    if not wishes.replace_live:
        plan.refuse_live()
    if not wishes.replace_withdrawn:
        plan.refuse_withdrawn()
    for _ in range(LONGEST_CHAIN):
        plan.follow()
        for names, records in workers.map(
            lambda names: (names, table.get_many(names)), batches(plan.targets())
        ):
            plan.reached(names, records)
        if not plan.follow_table():
            break
    else:
        plan.refuse_what_leads_on()
    if not wishes.allow_dangling:
        plan.refuse_dangling()


def write_plan(
    redirects: Redirects,
    plan: Plan,
    wishes: Wishes,
    workers: Workers,
    progress: Progress = silent,
) -> Written:
    """Write what the plan holds and does not stand yet. Raises TransientError.

    Killed at any moment, it leaves a part of the redirects, whole; a new plan has the rest.
    """
    summary = plan.summary()
    total = sum(summary[kind] for kind in ("new", "changed", "over_tombstones", "over_live_images"))
    result = Written(counts=Counter(written=0, stood=0, collapsed=0))
    with GatheredEvents(redirects.register.events) as events:
        writer = _Writer(redirects, events, wishes, few=total <= FEW)
        answers = workers.map(writer.write, plan.to_write())
        for done, answer in enumerate(answers, start=1):
            progress("writing", done, total)
            if isinstance(answer, Fault):
                result.refused.append(answer)
            else:
                result.counts.update(answer)
    if total > FEW:
        _collapse_all(redirects, workers, result, progress)
    return result


class _Writer:
    """Writes one redirect, from any thread."""

    def __init__(
        self, redirects: Redirects, events: EventBus, wishes: Wishes, *, few: bool
    ) -> None:
        self._register = replace(redirects.register, events=events)
        self._wishes = wishes
        self._few = few

    def write(self, planned: tuple[Row, bool]) -> Fault | dict[str, int]:
        row, fresh = planned
        redirect = Redirect(identifier=row.old, target=row.new, changed_at=now(), note=row.note)
        decide = redirected(
            redirect,
            replace_live=self._wishes.replace_live,
            replace_withdrawn=self._wishes.replace_withdrawn,
        )
        try:
            if self._few:
                added = Redirects(self._register).settle(row.old, decide)
                made, collapsed = added.change.made, added.collapsed
            else:
                made, collapsed = self._change(row.old, decide, fresh), 0
        except IdentifierRefused as error:
            return Fault(row.line, row.old, row.new, error.code, str(error))
        return {"written" if made else "stood": 1, "collapsed": collapsed}

    def _change(self, old: str, decide: Decide, fresh: bool) -> bool:
        register = self._register
        if fresh:
            register = replace(register, table=_Unheard(register.table))
        return register.change(old, decide).made


class _Unheard:
    """A table of which it is known that it has no such record: the first question is spared.

    Was it wrong, the journal refuses the change, and the second question is asked.
    """

    def __init__(self, table: IdentifierTable) -> None:
        self._table = table
        self._asked = False

    def get(self, identifier: str) -> Record | None:
        if self._asked:
            return self._table.get(identifier)
        self._asked = True
        return None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)


def _collapse_all(
    redirects: Redirects, workers: Workers, result: Written, progress: Progress
) -> None:
    """What pointed at identifiers that became redirects is led on; a circle is refused."""
    for finding in audit(redirects, workers, lambda done: progress("collapsing", done, None)):
        redirect = finding.redirect
        if finding.code == "dangling":
            continue
        try:
            result.counts["collapsed"] += redirects.collapse(redirect)
        except IdentifierRefused as error:
            fault = Fault(0, redirect.identifier, redirect.target, error.code, str(error))
            result.refused.append(fault)
