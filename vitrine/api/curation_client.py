"""A curator's changes of images and redirects, made by the API with the curator's rights there.

A curator reads the tables directly, as everybody does who looks at the service, and writes
none of them: the API compares owners and departments (docs/adr/0042).
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from types import UnionType

from vitrine.access.rules import INHERITED
from vitrine.api.client import ApiClient, code_of, describe_problem
from vitrine.api.redirect_list_operations import (
    RequestedRedirect,
    SetRedirects,
)
from vitrine.errors import IdentifierRefused, PreconditionFailed, RevisionChanged
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.redirects.bulk_import import (
    ImportOptions,
    ImportResult,
    Progress,
    RowResult,
    gather_results,
    ignore_progress,
)
from vitrine.identify.redirects.csv_file import RedirectRow, RowFault
from vitrine.identify.redirects.import_plan import ImportPlan
from vitrine.identify.redirects.redirects import AddedRedirect
from vitrine.identify.register import IdentifierChange
from vitrine.ingest.publish.curation import Curation
from vitrine.ports import IdentifierTable, ObjectInfo
from vitrine.records import Gone, Live, Record, Redirect
from vitrine.slices import split_batches
from vitrine.store.conditional_writes import retry_if_changed

Kind = type | UnionType
CALLS, ROWS_OF_A_CALL = 4, 50
"""Calls of an import at a time, and redirects in each: few enough that one machine, which answers
all calls itself, answers each within the 30 seconds of a gateway."""


@dataclass(frozen=True, kw_only=True)
class CurationClient:
    """Changes images by the API. Its methods are those of `Curation`, and raise the same."""

    api: ApiClient
    own: Curation
    """Ports that a curator reads with, and copies a master onto itself."""

    def rename(self, old: str, new: str, *, replace_withdrawn: bool = False) -> ObjectInfo | None:
        """Let the master of `old` be ingested as `new`."""
        old, new = parse_identifier(old), parse_identifier(new)
        copy = self._copy(
            lambda: self.api.rename_image(old, new, replace_withdrawn=replace_withdrawn).key,
            lambda: self.own.rename(old, new, replace_withdrawn=replace_withdrawn),
        )
        return None if old == new else copy

    def restore(self, identifier: str) -> ObjectInfo | None:
        """Let the master of a withdrawn image be ingested again; None if it is live."""
        identifier = parse_identifier(identifier)
        before = self.own.table.get(identifier)
        copy = self._copy(
            lambda: self.api.restore_image(identifier).key, lambda: self.own.restore(identifier)
        )
        return None if isinstance(before, Live) else copy

    def _copy(
        self, copy_by_api: Callable[[], str], copy_here: Callable[[], ObjectInfo | None]
    ) -> ObjectInfo | None:
        """Return the version of a master that the API makes, or we, if that would take too long.

        The API has checked everything else before it says so.
        """
        try:
            return self.own.masters.head(copy_by_api())
        except IdentifierRefused as error:
            if error.code != "master-too-large":
                raise
            return copy_here()

    def withdraw(self, identifier: str, reason: str) -> IdentifierChange:
        """Replace the image by a tombstone with this reason."""
        return self._change(
            identifier,
            lambda name, over: self.api.withdraw_image(name, reason, over=over),
            Live | Gone,
        )

    def set_access(self, identifier: str, rule: str) -> IdentifierChange:
        """Set the rule of access of an image, also of one that is yet to be uploaded."""
        return self._change(
            identifier, lambda name, over: self.api.put_access(name, rule, over=over)
        )

    def inherit(
        self, identifier: str, find_collections: Callable[[], Collection[str]]
    ) -> IdentifierChange:
        """Give up the rule that was set for an image; the API finds its collections."""
        return self.set_access(identifier, INHERITED)

    def end_links(self, identifier: str) -> IdentifierChange:
        """End all share links to an image."""
        return self._change(identifier, lambda name, over: self.api.end_links(name, over=over))

    def _change(
        self, identifier: str, change: Callable[[str, int], None], kind: Kind = object
    ) -> IdentifierChange:
        return _change_by_api(self.own.table, identifier, change, kind)


@dataclass(frozen=True, kw_only=True)
class RedirectsClient:
    """Changes redirects by the API. Its methods are those of `Redirects`, and raise the same."""

    api: ApiClient
    table: IdentifierTable

    def add(
        self,
        old: str,
        new: str,
        *,
        note: str = "",
        replace_live: bool = False,
        replace_withdrawn: bool = False,
        allow_dangling: bool = False,
    ) -> AddedRedirect:
        """Redirect `old` to `new`, or to the end of the chain that begins there."""
        old, new = parse_identifier(old), parse_identifier(new)
        before = self.table.get(old)
        [result] = self.api.set_redirects(
            SetRedirects(
                redirects=(RequestedRedirect(identifier=old, target=new, note=note),),
                replace_live=replace_live,
                replace_withdrawn=replace_withdrawn,
                replace_owned=True,
                allow_dangling=allow_dangling,
            )
        )
        if result.problem:
            raise IdentifierRefused(code_of(result.problem), describe_problem(result.problem))
        change = IdentifierChange(before, self.table.get(old), made=result.changed)
        return AddedRedirect(change=change, target=result.target, collapsed=result.retargeted)

    def remove(self, identifier: str) -> IdentifierChange:
        """Remove a redirect, and put the tombstone back that it took the place of, if any."""
        return _change_by_api(
            self.table,
            identifier,
            lambda name, over: self.api.delete_redirect(name, over=over),
            Redirect,
        )

    def collapse(self, redirect: Redirect) -> bool:
        """Retarget a redirect to the end of its chain; return False if it points there already."""
        added = self.add(redirect.identifier, redirect.target, allow_dangling=True)
        return added.change.made

    def write_import(
        self,
        plan: ImportPlan,
        options: ImportOptions,
        progress: Progress = ignore_progress,
    ) -> ImportResult:
        """Write the redirects of the plan that are not in place yet, many with each call.

        The API looks again at what each of them meets. Raises TransientError; a new plan then has
        the rest.
        """
        batches = split_batches((row for row, _ in plan.to_write()), ROWS_OF_A_CALL)
        with Workers(CALLS) as calls:
            answers = calls.map(lambda rows: list(self._write_rows(rows, options)), batches)
            return gather_results((one for some in answers for one in some), plan, progress)

    def _write_rows(
        self, rows: Sequence[RedirectRow], options: ImportOptions
    ) -> Iterator[RowResult]:
        requested = SetRedirects(
            redirects=tuple(
                RequestedRedirect(
                    identifier=row.old, target=row.new, note=row.note, owner=row.owner
                )
                for row in rows
            ),
            replace_live=options.replace_live,
            replace_withdrawn=options.replace_withdrawn,
            replace_owned=options.takes_over,
            allow_dangling=True,
        )
        for row, result in zip(rows, self.api.set_redirects(requested), strict=True):
            if problem := result.problem:
                yield RowFault(
                    row.line, row.old, row.new, code_of(problem), describe_problem(problem)
                )
            else:
                what = "written" if result.changed else "stood"
                yield {what: 1, "collapsed": result.retargeted}


def _change_by_api(
    table: IdentifierTable, identifier: str, change: Callable[[str, int], None], kind: Kind
) -> IdentifierChange:
    """Make a change over the revision of a record; what is not of `kind` counts as absent."""
    name = parse_identifier(identifier)

    def write() -> Record | None:
        before = table.get(name)
        try:
            change(name, before.revision if before and isinstance(before, kind) else 0)
        except RevisionChanged as error:
            raise PreconditionFailed(name) from error
        return before

    before = retry_if_changed(write, f'The identifier "{name}"')
    after = table.get(name)
    return IdentifierChange(before, after, made=_revision_of(before) != _revision_of(after))


def _revision_of(record: Record | None) -> int:
    return record.revision if record else 0
