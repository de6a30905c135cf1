"""What curators do with published images: rename, withdraw and restore them.

A new name and a restoration go the way of an upload: the master is copied onto itself with its
identifier in the metadata, and the pipeline does the rest, redirects included.
"""

from dataclasses import dataclass

from vitrine.errors import IdentifierRefused, ObjectMissing, PreconditionFailed
from vitrine.events import ImageWithdrawn
from vitrine.identify.changes import withdraw_image, withdrawn_image_error
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.register import Change, Register
from vitrine.identify.tombstone import tombstone_of_another
from vitrine.ingest.start.start_ingest import IDENTIFIER_METADATA, KEEP_WITHDRAWN_METADATA
from vitrine.ports import ObjectInfo, OutcomeTable, VersionedStore
from vitrine.records import Gone, Live, Record, Redirect
from vitrine.store.clock import now


@dataclass(frozen=True, kw_only=True)
class Curation:
    """The ports through which a curator changes images."""

    register: Register
    masters: VersionedStore
    outcomes: OutcomeTable

    def rename(self, old: str, new: str, *, replace_withdrawn: bool = False) -> ObjectInfo | None:
        """Let the master of `old` be ingested as `new`.

        Returns the master's new version, None if nothing is to do. The tombstone of another
        master's image is replaced with `replace_withdrawn` only; the publication checks again,
        since an image may be withdrawn until then. Raises IdentifierRefused with code
        `identifier-invalid`, `no-image`, `identifier-taken`, `withdrawn-image`, `master-missing` or
        `master-replaced`; TransientError.
        """
        old, new = parse_identifier(old), parse_identifier(new)
        image, current = self._record(old), self._record(new)
        if isinstance(image, Redirect) and image.target == new and isinstance(current, Live):
            return None
        if not isinstance(image, Live):
            raise IdentifierRefused("no-image", f'"{old}" is not a live image.')
        if old == new:
            return None
        _check_free(current, old, image.master_key)
        if not replace_withdrawn:
            tombstone = tombstone_of_another(self.register.journal, current, image.master_key)
            if tombstone:
                raise withdrawn_image_error(tombstone)
        return self._ingest_as(image.master_key, new, keep_withdrawn=not replace_withdrawn)

    def withdraw(self, identifier: str, reason: str) -> Change:
        """Replace the image by a tombstone with this reason.

        The master stays, and a new upload of it publishes the image again.
        Raises IdentifierRefused with code `identifier-invalid` or `no-image`, TransientError.
        """
        identifier = parse_identifier(identifier)
        change = self.register.change(identifier, withdraw_image(identifier, reason, now()))
        if isinstance(change.after, Gone) and isinstance(change.replaced, Live):
            event = ImageWithdrawn(
                identifier=identifier,
                master_key=change.replaced.master_key,
                reason=reason,
                withdrawn_at=change.after.changed_at,
            )
            self.register.events.publish(event.name(), event.detail())
        return change

    def restore(self, identifier: str) -> ObjectInfo | None:
        """Let the master of a withdrawn image be ingested again.

        Returns the master's new version, None if the image is live. Works too for an image whose
        identifier was given to a redirect that has been removed since.
        Raises IdentifierRefused with code `identifier-invalid`, `no-image`, `master-missing`,
        `master-replaced` or `renamed`; TransientError.
        """
        identifier = parse_identifier(identifier)
        record = self._record(identifier)
        if isinstance(record, Live):
            return None
        if isinstance(record, Redirect):
            raise IdentifierRefused(
                "no-image",
                f'"{identifier}" redirects to "{record.target}". To make it an image again, first '
                f"run: vitrine redirects remove {identifier}",
            )
        image = self.register.journal.last_image(identifier)
        if image is None:
            raise IdentifierRefused("no-image", f'"{identifier}" is not a withdrawn image.')
        outcome = self.outcomes.get(image.master_key)
        if outcome and outcome.identifier != identifier:
            other = self._record(outcome.identifier)
            if isinstance(other, Live) and other.master_key == image.master_key:
                option = " --replace-withdrawn" if isinstance(record, Gone) else ""
                raise IdentifierRefused(
                    "renamed",
                    f'Its master is now published as "{other.identifier}". To redirect there, '
                    f"run: vitrine redirects add {identifier} {other.identifier}{option}",
                )
        return self._ingest_as(image.master_key, identifier, keep_withdrawn=True)

    def _record(self, identifier: str) -> Record | None:
        return self.register.table.get(identifier)

    def _ingest_as(self, master_key: str, identifier: str, *, keep_withdrawn: bool) -> ObjectInfo:
        try:
            master = self.masters.head(master_key)
            metadata = {
                **master.metadata,
                IDENTIFIER_METADATA: identifier,
                KEEP_WITHDRAWN_METADATA: "yes" if keep_withdrawn else "no",
            }
            return self.masters.copy_in_place(master_key, metadata, if_etag=master.etag)
        except ObjectMissing:
            raise IdentifierRefused(
                "master-missing",
                f'The master "{master_key}" was deleted. Upload it again, as "{identifier}".',
            ) from None
        except PreconditionFailed:
            sentence = f'The master "{master_key}" was replaced just now; try again.'
            raise IdentifierRefused("master-replaced", sentence) from None


def _check_free(current: Record | None, old: str, master_key: str) -> None:
    match current:
        case Live() if current.master_key != master_key:
            raise IdentifierRefused(
                "identifier-taken",
                f'"{current.identifier}" is already an image, of the master '
                f'"{current.master_key}".',
            )
        case Redirect() if current.target != old:
            raise IdentifierRefused(
                "identifier-taken",
                f'"{current.identifier}" redirects to "{current.target}". To use it for an image, '
                f"first run: vitrine redirects remove {current.identifier}",
            )
