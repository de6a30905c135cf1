"""Imports of thousands of redirects: planned against the table, then written, resumable."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from vitrine.errors import IdentifierRefused
from vitrine.identify.changes import set_redirect
from vitrine.identify.redirects.audit import audit_redirects
from vitrine.identify.redirects.bulk import BATCH, GatheredEvents, Workers
from vitrine.identify.redirects.csv_file import RedirectRow, RowFault
from vitrine.identify.redirects.import_plan import ImportPlan
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.register import Edit
from vitrine.identify.resolve import MAX_CHAIN_LENGTH
from vitrine.ports import EventBus, IdentifierTable
from vitrine.records import Record, Redirect, readable
from vitrine.slices import split_batches
from vitrine.store.clock import now

SMALL_IMPORT = 1_000
"""Up to this number of redirects, each looks for others that point at it. Beyond, all redirects of
the table are read once instead, which costs less than that many queries."""

RowResult = RowFault | dict[str, int]
"""Why a row was not written, or what its redirect adds to the counts of the result."""
Progress = Callable[[str, int, int | None], None]
"""Called with the name of a stage, how much of it is done, and how much there is of it."""


def ignore_progress(stage: str, done: int, total: int | None) -> None:
    """Do nothing: nobody watches."""


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """What an import may replace, and whether targets may be missing."""

    replace_live: bool = False
    replace_withdrawn: bool = False
    allow_dangling: bool = False
    takes_over: bool = False
    """True: what another collection owns is replaced as well."""


@dataclass(frozen=True, kw_only=True)
class ImportResult:
    """What an import did. `refused` holds what changed between planning and writing."""

    counts: Counter[str]
    refused: list[RowFault] = field(default_factory=list)


def plan_import(
    redirects: Redirects,
    plan: ImportPlan,
    rows: Iterable[RedirectRow | RowFault],
    options: ImportOptions,
    workers: Workers,
    progress: Progress = ignore_progress,
) -> None:
    """Compare the rows of a file with each other and with the table. Raises TransientError.

    A chain leads to its end, whether it lies in the file, in the table or passes through both.
    """
    table = redirects.register.table
    plan.load(rows)
    total = plan.counts["rows"]
    answers = workers.map(table.get_many, split_batches(plan.old_identifiers(), BATCH))
    for number, records in enumerate(answers, start=1):
        plan.note_current(readable(records).values())
        progress("comparing", min(total, number * BATCH), total)
    if not options.replace_live:
        plan.refuse_live()
    if not options.replace_withdrawn:
        plan.refuse_withdrawn()
    if not options.takes_over:
        plan.refuse_owned()
    for _ in range(MAX_CHAIN_LENGTH):
        plan.follow_file()
        for names, records in workers.map(
            lambda names: (names, table.get_many(names)),
            split_batches(plan.unknown_targets(), BATCH),
        ):
            plan.note_targets(names, readable(records))
        if not plan.follow_table():
            break
    else:
        plan.refuse_endless_chains()
    if not options.allow_dangling:
        plan.refuse_dangling()


def write_import(
    redirects: Redirects,
    plan: ImportPlan,
    options: ImportOptions,
    workers: Workers,
    progress: Progress = ignore_progress,
) -> ImportResult:
    """Write the redirects of the plan that are not in place yet. Raises TransientError.

    If it is killed, every redirect is either written completely or not at all; a new plan has the
    rest.
    """
    small = _count_to_write(plan) <= SMALL_IMPORT
    with GatheredEvents(redirects.register.events) as events:
        writer = _RedirectWriter(redirects, events, options, collapse_each=small)
        result = gather_results(workers.map(writer.write, plan.to_write()), plan, progress)
    if not small:
        _collapse_all(redirects, workers, result, progress)
    return result


def gather_results(
    answers: Iterable[RowResult], plan: ImportPlan, progress: Progress
) -> ImportResult:
    """Return what became of the rows of a plan."""
    total = _count_to_write(plan)
    result = ImportResult(counts=Counter(written=0, stood=0, collapsed=0))
    for done, answer in enumerate(answers, start=1):
        progress("writing", done, total)
        if isinstance(answer, RowFault):
            result.refused.append(answer)
        else:
            result.counts.update(answer)
    return result


def _count_to_write(plan: ImportPlan) -> int:
    summary = plan.summary()
    return sum(summary[kind] for kind in ("new", "changed", "over_tombstones", "over_live_images"))


class _RedirectWriter:
    """Writes one redirect, from any thread."""

    def __init__(
        self, redirects: Redirects, events: EventBus, options: ImportOptions, *, collapse_each: bool
    ) -> None:
        self._register = replace(redirects.register, events=events)
        self._options = options
        self._collapse_each = collapse_each

    def write(self, planned: tuple[RedirectRow, bool]) -> RowResult:
        row, is_new = planned
        redirect = Redirect(
            identifier=row.old, target=row.new, changed_at=now(), note=row.note, owner=row.owner
        )
        edit = set_redirect(
            redirect,
            replace_live=self._options.replace_live,
            keeps_owned=not self._options.takes_over,
            replace_withdrawn=self._options.replace_withdrawn,
        )
        try:
            if self._collapse_each:
                added = Redirects(self._register).change_and_collapse(row.old, edit)
                made, collapsed = added.change.made, added.collapsed
            else:
                made, collapsed = self._change_record(row.old, edit, is_new), 0
        except IdentifierRefused as error:
            return RowFault(row.line, row.old, row.new, error.code, str(error))
        return {"written" if made else "stood": 1, "collapsed": collapsed}

    def _change_record(self, old: str, edit: Edit, is_new: bool) -> bool:
        register = self._register
        if is_new:
            register = replace(register, table=_WithoutFirstRead(register.table))
        change = register.change(old, edit)
        Redirects(self._register).hand_on_rules(change)
        return change.made


class _WithoutFirstRead:
    """A table known to lack a record: its first read answers None without a request.

    If the record appeared since, the journal rejects the change, and the second read is real.
    """

    def __init__(self, table: IdentifierTable) -> None:
        self._table = table
        self._was_read = False

    def get(self, identifier: str) -> Record | None:
        if self._was_read:
            return self._table.get(identifier)
        self._was_read = True
        return None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)


def _collapse_all(
    redirects: Redirects, workers: Workers, result: ImportResult, progress: Progress
) -> None:
    """Retarget what points at identifiers that became redirects; add circles to `refused`."""
    findings = audit_redirects(redirects, workers, lambda done: progress("collapsing", done, None))
    for finding in findings:
        redirect = finding.redirect
        if finding.code == "dangling":
            continue
        try:
            result.counts["collapsed"] += redirects.collapse(redirect)
        except IdentifierRefused as error:
            fault = RowFault(0, redirect.identifier, redirect.target, error.code, str(error))
            result.refused.append(fault)
