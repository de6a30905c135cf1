"""Access masters against the identifiers they were made for."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from vitrine.errors import ObjectMissing, RecordDamaged
from vitrine.ingest.publish.superseded import is_superseded, tag_superseded
from vitrine.ingest.repair.reconcile_rules import Rules
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import StartResult, start_ingest, start_withdrawal
from vitrine.ports import ListedObject
from vitrine.records import Live, Record
from vitrine.store.layout import JOURNAL, identifier_of, journal_folder
from vitrine.store.revisions import has_entries


class AccessMasters:
    """The walk over the bucket of access masters."""

    def __init__(self, services: IngestServices, rules: Rules, counts: Counter[str]) -> None:
        self.store = services.access_masters
        self._services = services
        self._rules = rules
        self._counts = counts

    def reconcile(self, entries: Sequence[ListedObject]) -> None:
        """Tag what is superseded, convert again what is missing. Raises TransientError."""
        owners: dict[str, str] = {}
        for entry in entries:
            with suppress(ValueError):
                owners[entry.key] = identifier_of(entry.key)
        records = self._services.identifiers.get_many(set(owners.values()))
        for entry in entries:
            record = records.get(owners.get(entry.key, ""))
            if entry.deleted:
                if isinstance(record, Live) and record.access_master_key == entry.key:
                    self._convert_again(record)
            elif record:
                if not isinstance(record, RecordDamaged):
                    self._check_owned(entry, record)
            elif entry.key in owners:
                self._check_unowned(entry, owners[entry.key])
        existing = [entry for entry in entries if entry.key in owners and not entry.deleted]
        self._counts["access_masters"] += len(existing)

    def _convert_again(self, image: Live) -> None:
        """Start the master of an image whose access master is gone.

        Somebody deleted it, or it expired at the moment in which it was published.
        """
        if self._rules.dry_run:
            self._counts["restarted"] += 1
            return
        outcome = self._services.outcomes.get(image.master_key)
        redrives = outcome.execution if outcome else ""
        started = start_ingest(self._services, image.master_key, redrives)
        self._counts["restarted"] += started is StartResult.STARTED

    def _check_unowned(self, entry: ListedObject, identifier: str) -> None:
        """Tag an access master whose identifier has no record, if it is old enough.

        Its conversion was never published, unless the table or the journal was lost.
        """
        old, records = entry.modified < self._rules.unfinished_before, self._services.records
        has_journal = old and has_entries(records, JOURNAL)
        if has_journal and not has_entries(records, journal_folder(identifier)):
            self._tag_superseded(entry.key, identifier)

    def _check_owned(self, entry: ListedObject, record: Record) -> None:
        with suppress(ObjectMissing):  # expired since it was listed
            if isinstance(record, Live) and record.access_master_key == entry.key:
                if self._rules.checks_closely(record.identifier):
                    self._check_closely(record)
            elif entry.modified < self._rules.unfinished_before:
                self._tag_superseded(entry.key, record.identifier)

    def _tag_superseded(self, key: str, identifier: str) -> None:
        if is_superseded(self._services, key):
            return
        if self._rules.dry_run or tag_superseded(self._services, identifier, key):
            self._counts["superseded"] += 1

    def _check_closely(self, image: Live) -> None:
        """Mend a live image's tag, and withdraw it if its master is gone for good.

        The walk over the masters cannot find a master whose versions were all deleted: nothing of
        it is listed.
        """
        key = image.access_master_key
        if is_superseded(self._services, key):
            self._counts["kept"] += 1
            if not self._rules.dry_run:
                self._services.access_masters.tag(key, {})
        try:
            self._services.masters.head(image.master_key)
        except ObjectMissing as missing:
            outcome = self._services.outcomes.get(image.master_key)
            # A delete marker is listed, and the walk over the masters followed it if there is an
            # outcome to follow. An outcome that says `withdrawn` missed this image.
            if not missing.deletion or outcome is None or outcome.state == "withdrawn":
                self._withdraw_image(image, missing.deletion)

    def _withdraw_image(self, image: Live, deletion: str) -> None:
        if self._rules.dry_run:
            self._counts["withdrawing"] += 1
            return
        started = start_withdrawal(self._services, image, deletion, self._rules.attempt)
        self._counts["withdrawing"] += started is StartResult.WITHDRAWING
