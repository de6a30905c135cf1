"""What `vitrine collection` shows: notes by rule, progress, and what became of a table."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vitrine.catalogue.rollback import Rollback
from vitrine.cli.console.printing import ProgressLines
from vitrine.cli.masters.migration_display import report_lines
from vitrine.iiif.presentation.addresses import COLLECTION, NEWEST, document_path
from vitrine.sources.harvest.harvest_log import LoggedHarvest
from vitrine.sources.harvest.kept_folder import Harvest
from vitrine.sources.mapping.to_objects import MappedObject, RowNote
from vitrine.sources.updates.publish_objects import TableReport
from vitrine.sources.updates.read_texts import TextReport
from vitrine.store.site_layout import collection_page_key, page_path
from vitrine.text.ocr_results.pages import Unread

SHOWN = 3
"""Notes of one kind that the terminal shows; `--notes` has all."""


def check_lines(mapped: Sequence[MappedObject], notes: Sequence[RowNote]) -> Iterator[str]:
    """Yield what would be published, and what is the matter."""
    pages = sum(len(one.item.canvases) for one in mapped)
    files = sum(len(one.files) for one in mapped)
    yield f"{len(mapped):,} objects of {pages:,} pages; {files:,} image files are there"
    awaited = sum(
        not one.files and all(canvas.image for canvas in one.item.canvases) for one in mapped
    )
    if awaited and mapped[0].item.page_before_images:
        yield f"{awaited:,} of them have no image file yet: their pages say so"
    elif awaited:
        yield f"{len(mapped) - awaited:,} objects can be shown; {awaited:,} have no image file yet"
    yield from note_lines(notes)


def published_lines(
    edge_url: str,
    report: TableReport,
    notes: Sequence[RowNote],
    images: dict[str, Any],
    handed_back: Path | None,
) -> Iterator[str]:
    """Yield what became of images, objects and collection, and where to look."""
    if images:
        yield "Images:"
        yield from (f"  {line}" for line in report_lines(images))
    yield f"Objects: {report.made:,} published, {report.unchanged:,} were up to date"
    yield from note_lines(notes)
    for row, sentence in report.refused[:SHOWN]:
        place = f"row {row}" if row else "the collection"
        yield f"  {place}: not published: {sentence}"
    if len(report.refused) > SHOWN:
        yield f"  and {len(report.refused) - SHOWN:,} more were not published"
    if report.waiting:
        yield f"Without all of their images until those are published: {_some(report.waiting)}"
    for identifier, sentence in report.unsearched[:SHOWN]:
        yield f"  {identifier}: published without a search: {sentence}"
    if len(report.unsearched) > SHOWN:
        yield f"  and {len(report.unsearched) - SHOWN:,} more without a search"
    if report.gone:
        yield (
            "No longer in the table, but published until `vitrine object withdraw`: "
            f"{_some(report.gone)}"
        )
    if report.collection:
        name = report.collection.record.identifier
        yield f"Collection: {edge_url}{document_path(NEWEST, name, COLLECTION)}"
        yield f"Its page: {edge_url}{page_path(collection_page_key(name))}"
    if handed_back:
        yield f"Table with addresses: {handed_back}"


def text_lines(what: str, texts: TextReport) -> Iterator[str]:
    """Yield what became of the texts of pages, or of their annotations, if there are any."""
    if texts.read or texts.unchanged or texts.empty or texts.refused:
        empty = f", {texts.empty:,} without any" if texts.empty else ""
        yield f"{what}: {texts.read:,} pages read, {texts.unchanged:,} were up to date{empty}"
    named = [(file, f"not read: {sentence}") for file, sentence in texts.refused] + texts.notes
    for file, sentence in named[:SHOWN]:
        yield f"  {file}: {sentence}"
    if len(named) > SHOWN:
        yield f"  and {len(named) - SHOWN:,} more: --json has all"


def unread_lines(unread: Sequence[tuple[str, Unread]]) -> Iterator[str]:
    """Yield what OCR has yet to read, if there is anything."""
    if requested := sum(one.pages for _, one in unread if one.is_requested):
        yield f"Pages without a text: {requested:,} are being read; see `vitrine object ocr`"
    silent = [(name, one) for name, one in unread if one.reason]
    for name, one in silent[:SHOWN]:
        yield f"  {name}: {one.pages:,} pages are not read: {one.reason}"
    if len(silent) > SHOWN:
        yield f"  and pages of {len(silent) - SHOWN:,} more objects"


def harvested_lines(folder: str, done: Harvest) -> Iterator[str]:
    """Yield what a harvest brought, and what it could not fetch."""
    images = f"; {done.images:,} images" if done.images else ""
    yield (
        f"{folder}: {done.new:,} new records, {done.changed:,} changed, {done.unchanged:,} "
        f"unchanged, {done.deleted:,} deleted{images}"
    )
    for what, sentences in (("Smaller than there", done.notes), ("Not fetched", done.failures)):
        if sentences:
            yield f"{what}: {len(sentences):,}"
            yield from (f"  {sentence}" for sentence in sentences[:SHOWN])
        if len(sentences) > SHOWN:
            yield f"  and {len(sentences) - SHOWN:,} more: --json has all"


def logged_lines(harvests: Sequence[LoggedHarvest]) -> Iterator[str]:
    """Yield what earlier harvests brought."""
    if not harvests:
        yield "There was no harvest yet: vitrine collection harvest"
    for one in harvests:
        counts = ", ".join(f"{count:,} {name}" for name, count in one.counts.items() if count)
        yield f"{one.at}: {one.error or counts or 'nothing changed'}{_then(one.published)}"
        yield from (f"  not fetched: {sentence}" for sentence in one.failures[:SHOWN])
        if one.failed > SHOWN:
            yield f"  and {one.failed - SHOWN:,} more"


def _then(published: dict[str, int]) -> str:
    """Return what became of the objects of a harvest that was published at once."""
    if not published:
        return ""
    made, unchanged = published.get("made", 0), published.get("unchanged", 0)
    names = ("waiting", "refused")
    others = [f", {count:,} {name}" for name in names if (count := published.get(name, 0))]
    return f"; objects: {made:,} published, {unchanged:,} up to date{''.join(others)}"


def undo_line(identifier: str, begun: str) -> str:
    """Return how what has changed since `begun` is put back."""
    return f"To put all of this back: vitrine collection rollback {identifier} --to {begun}"


def rolled_back_lines(done: Rollback) -> Iterator[str]:
    """Yield what became of the objects that were put back."""
    yield (
        f"{len(done.restored):,} show again what they showed, {len(done.withdrawn):,} were "
        f"withdrawn, {done.unchanged:,} had not changed"
    )
    yield from done.left
    for one in done.kept_rules:
        then = one.then or "open"
        yield (
            f'The collection "{one.identifier}" keeps its rule of access, {one.rule}, though it '
            f"was {then} then: `vitrine access collection {one.identifier} {then}` puts that back."
        )


def _some(identifiers: Sequence[str]) -> str:
    shown = ", ".join(identifiers[:SHOWN])
    more = len(identifiers) - SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown


def note_lines(notes: Sequence[RowNote]) -> Iterator[str]:
    """Yield faults and notes by the rule that they concern."""
    kinds: dict[tuple[bool, str], list[RowNote]] = defaultdict(list)
    for note in notes:
        kinds[not note.is_fault, note.rule].append(note)
    for (harmless, rule), some in sorted(kinds.items()):
        yield f"{'Notes' if harmless else 'Faults'} about {rule}: {len(some):,}"
        yield from (f"  {_place(note)}: {note.sentence}" for note in some[:SHOWN])
        if len(some) > SHOWN:
            yield f"  and {len(some) - SHOWN:,} more"


def _place(note: RowNote) -> str:
    return f"row {note.row}, {note.file}" if note.file else f"row {note.row}"


@contextmanager
def show_progress(what: str, total: int | None, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that moves a bar on a terminal; elsewhere it prints a line now and then."""
    if quiet:
        yield lambda done: None
        return
    if not sys.stderr.isatty():
        yield ProgressLines(what, total).show
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=total)
        yield lambda done: bars.update(task, completed=done)
