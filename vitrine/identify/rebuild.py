"""Restoring the table of identifiers from its journal, redirects and tombstones included."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from vitrine.errors import RecordDamaged
from vitrine.identify.canary import plant_canary
from vitrine.identify.journal import Journal
from vitrine.ports import IdentifierTable, VersionedStore
from vitrine.records import Record
from vitrine.slices import split_batches
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.layout import JOURNAL, parse_journal_key
from vitrine.store.revisions import list_folder

BATCH = 500
"""Identifiers that are compared with the table in one read."""
THREADS = 16


@dataclass(frozen=True, slots=True)
class _Latest:
    """The newest entry of one identifier, by its key."""

    identifier: str
    revision: int
    key: str


def rebuild(
    table: IdentifierTable,
    records: VersionedStore,
    *,
    dry_run: bool = False,
    on_progress: Callable[[int], None] = lambda identifiers: None,
) -> Counter[str]:
    """Write the newest journal entry of each identifier to the table, where the table is older.

    Returns counts: `identifiers` in the journal, `written` (with `dry_run`: those that would be),
    and `stood`, those that were up to date. In the end the table has its canary. `on_progress` is
    called with the number of identifiers just compared. Changes in the meantime do no harm. Raises
    TransientError; a second run continues where the first ended.
    """
    counts = Counter({"identifiers": 0, "written": 0, "stood": 0})
    journal = Journal(records)
    latest = _newest_entries(records)
    with ThreadPoolExecutor(THREADS, thread_name_prefix="rebuild") as threads:
        for batch in split_batches(latest, BATCH):
            current = table.get_many([entry.identifier for entry in batch])
            behind = [entry for entry in batch if _is_behind(current.get(entry.identifier), entry)]
            if not dry_run:
                list(threads.map(partial(_catch_up, table, journal), behind))
            counts.update(
                identifiers=len(batch), written=len(behind), stood=len(batch) - len(behind)
            )
            on_progress(len(batch))
    if not dry_run:
        plant_canary(table)
    return counts


def _is_behind(current: Record | RecordDamaged | None, entry: _Latest) -> bool:
    if current is None or isinstance(current, RecordDamaged):
        return True
    return current.revision < entry.revision


def _catch_up(table: IdentifierTable, journal: Journal, entry: _Latest) -> None:
    record = journal.read(entry.key)

    def write() -> None:
        current = table.get_many([entry.identifier], consistent=True).get(entry.identifier)
        if _is_behind(current, entry):
            table.write(record, current)

    retry_if_changed(write, f'The identifier "{entry.identifier}"')


def _newest_entries(records: VersionedStore) -> Iterator[_Latest]:
    """Yield one entry per identifier; the keys of one identifier follow one another."""
    listed = list_folder(records, JOURNAL)
    for _, keys in groupby(listed, key=lambda key: key.rpartition("/")[0]):
        *_, key = keys
        identifier, revision = parse_journal_key(key)
        yield _Latest(identifier, revision, key)
