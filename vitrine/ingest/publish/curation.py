"""What curators do with published images: rename, withdraw, restore and restrict them.

A new name and a restoration go the way of an upload: the master is copied onto itself with its
identifier in the metadata, and the pipeline does the rest, redirects included.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from shlex import quote

from vitrine.access.rules import parse_rule
from vitrine.errors import IdentifierRefused, ObjectMissing, PreconditionFailed
from vitrine.events import Event, ImageChanged, ImagePublished, ImageWithdrawn
from vitrine.identify.access_changes import follow_collections, restore_rule, set_access
from vitrine.identify.changes import (
    end_links,
    withdraw_image,
    withdrawn_image_error,
)
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.owners import has_other_owner, may_replace_master, take_over
from vitrine.identify.register import Edit, IdentifierChange, Register
from vitrine.ingest.publish.identifier_claim import (
    curator_tombstone,
    permit_replacement,
    redirects_to_image_of,
)
from vitrine.ingest.start.start_ingest import (
    IDENTIFIER_METADATA,
    REPLACES_METADATA,
    earlier_identifiers,
    published_identifier,
)
from vitrine.ports import IdentifierTable, ObjectInfo, OutcomeTable, VersionedStore
from vitrine.records import Gone, Live, Record, Redirect
from vitrine.store.clock import now
from vitrine.store.conditional_writes import retry_if_changed


@dataclass(frozen=True, kw_only=True)
class Curation:
    """The ports through which a curator changes images."""

    register: Register
    masters: VersionedStore
    outcomes: OutcomeTable

    @property
    def table(self) -> IdentifierTable:
        """The records of images."""
        return self.register.table

    def rename(self, old: str, new: str, *, replace_withdrawn: bool = False) -> ObjectInfo | None:
        """Let the master of `old` be ingested as `new`.

        Returns the master's new version, None if nothing is to do. A tombstone is replaced with
        `replace_withdrawn` only; the publication checks again, since an image may be withdrawn
        until then. Raises IdentifierRefused with code
        `identifier-invalid`, `no-image`, `identifier-taken`, `withdrawn-image`, `master-missing` or
        `master-replaced`; TransientError.
        """
        old, new = parse_identifier(old), parse_identifier(new)
        image, current = self._find_record(old), self._find_record(new)
        if isinstance(image, Redirect) and image.target == new and isinstance(current, Live):
            return None
        if not isinstance(image, Live):
            raise IdentifierRefused("no-image", f'"{old}" is not a live image.')
        if old == new:
            return None
        self._check_free(current, image, replace_withdrawn)
        return self._ingest_as(image.master_key, new, replaces=current)

    def live_image(self, identifier: str) -> Live:
        """Return a live image. Raises IdentifierRefused with code `no-image`, TransientError."""
        match self._find_record(identifier):
            case Live() as image:
                return image
            case Redirect(target=target):
                sentence = f'"{identifier}" redirects to "{target}": replace that one.'
            case Gone(reason=reason):
                sentence = (
                    f'"{identifier}" is withdrawn ({reason}). Bring it back first, with `vitrine '
                    f"image restore {quote(identifier)}`."
                )
            case _:
                sentence = f'There is no image "{identifier}"; check its spelling.'
        raise IdentifierRefused("no-image", sentence)

    def withdraw(
        self, identifier: str, reason: str, *, over: int | None = None
    ) -> IdentifierChange:
        """Replace the image by a tombstone with this reason, which holds until `restore`.

        The master stays; uploads of it are rejected. Raises IdentifierRefused with code
        `identifier-invalid` or `no-image`, RevisionChanged for another revision than `over`,
        TransientError.
        """
        identifier = parse_identifier(identifier)
        edit = withdraw_image(identifier, reason, now(), over=over)
        change = self.register.change(identifier, edit)
        image = self._withdrawn_image(change, reason)
        if image and change.after:
            event = ImageWithdrawn(
                identifier=identifier,
                master_key=image.master_key,
                reason=reason,
                withdrawn_at=change.after.changed_at,
            )
            self.register.events.publish(event.name(), event.detail())
        return change

    def set_access(
        self, identifier: str, rule: str, *, over: int | None = None
    ) -> IdentifierChange:
        """Set the rule of access of an image, also of one that is yet to be uploaded.

        Raises IdentifierRefused with code `identifier-invalid`, `access-invalid` or `no-image`,
        RevisionChanged for another revision than `over`, TransientError.
        """
        identifier = parse_identifier(identifier)
        edit = set_access(identifier, parse_rule(rule), now(), over=over)
        return self.change_rule(identifier, edit)

    def inherit(
        self,
        identifier: str,
        find_collections: Callable[[Collection[str]], Collection[str]],
        *,
        over: int | None = None,
    ) -> IdentifierChange:
        """Give up the rule that was set for an image: those of its collections hold, and no other.

        `find_collections` finds these, given those that are noted. Raises as `set_access` does.
        """
        identifier = parse_identifier(identifier)
        # What it left while we look, it keeps.
        record = self._find_record(identifier)
        kept, revision = record.kept if record else (), over
        noted = set[str]()

        def follow(current: Record | None) -> Record | None:
            noted.update(current.collections if current else ())
            found = find_collections(noted)
            edit = follow_collections(identifier, found, now(), forgets=kept, over=revision)
            return edit(current)

        def write() -> IdentifierChange:
            nonlocal revision
            change, revision = self.change_rule(identifier, follow), None
            # Who shows it at this moment may have found it noted.
            if change.after and not {*find_collections(noted)} <= {*change.after.collections}:
                raise PreconditionFailed(identifier)
            return change

        return retry_if_changed(write, f'The image "{identifier}"')

    def restore_rule(self, saved: Record) -> IdentifierChange:
        """Put an image, also one that is yet to be uploaded, under the rule that it had elsewhere.

        If it has a rule already, both hold together. Raises IdentifierRefused with code
        `identifier-invalid`, TransientError.
        """
        identifier = parse_identifier(saved.identifier)
        edit = restore_rule(replace(saved, identifier=identifier), now())
        return self.change_rule(identifier, edit)

    def end_links(self, identifier: str, *, over: int | None = None) -> IdentifierChange:
        """End all share links to an image, within a minute and a half.

        Raises IdentifierRefused with code `identifier-invalid` or `no-image`, RevisionChanged for
        another revision than `over`, TransientError.
        """
        identifier = parse_identifier(identifier)
        return self.change_rule(identifier, end_links(identifier, over=over))

    def change_rule(self, identifier: str, edit: Edit) -> IdentifierChange:
        """Change the rule of an image, so that all that shows it follows. Raises TransientError.

        It is also announced before: the edge has to forget although we may die after the write.
        """

        def announced(current: Record | None) -> Record | None:
            edited = edit(current)
            if isinstance(edited, Live) and current:
                self._announce(ImageChanged.of(edited, current), ImagePublished.of(edited))
            return edited

        change = self.register.change(identifier, announced)
        if isinstance(change.after, Live):
            self._announce(ImagePublished.of(change.after))
        return change

    def _announce(self, *events: Event) -> None:
        for event in events:
            self.register.events.publish(event.name(), event.detail())

    def restore(self, identifier: str) -> ObjectInfo | None:
        """Let the master of a withdrawn image be ingested again.

        Returns the master's new version, None if the image is live. Works too for an image whose
        identifier was given to a redirect that has been removed since.
        Raises IdentifierRefused with code `identifier-invalid`, `no-image`, `another-image`,
        `master-missing`, `master-replaced` or `renamed`; TransientError.
        """
        identifier = parse_identifier(identifier)
        record = self._find_record(identifier)
        if isinstance(record, Live):
            withdrawn = self._image_before_tombstone(record)
            if withdrawn and withdrawn.master_key != record.master_key:
                raise _another_image_error(record, withdrawn)
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
        name = published_identifier(self.outcomes.get(image.master_key))
        if name not in ("", identifier):
            other = self._find_record(name)
            if isinstance(other, Live) and other.master_key == image.master_key:
                option = " --replace-withdrawn" if isinstance(record, Gone) else ""
                raise IdentifierRefused(
                    "renamed",
                    f'Its master is now published as "{other.identifier}". To redirect there, '
                    f"run: vitrine redirects add {identifier} {other.identifier}{option}",
                )
        return self._ingest_as(image.master_key, identifier, replaces=record)

    def permit_upload(
        self,
        master_key: str,
        identifier: str,
        *,
        replace_withdrawn: bool = False,
        replace_redirect: bool = False,
    ) -> dict[str, str]:
        """Return the metadata with which an upload of the master may take `identifier`.

        It permits to replace what answers there now, of the kinds that are given, and with
        `replace_withdrawn` the tombstone of the master's own image too. Raises TransientError.
        """
        allowed = (Gone,) * replace_withdrawn + (Redirect,) * replace_redirect
        outcome = self.outcomes.get(master_key)
        own = {identifier, published_identifier(outcome), *earlier_identifiers(outcome, "")} - {""}
        tombstone = curator_tombstone(self.register.journal, sorted(own), master_key)
        records = [self._find_record(identifier), tombstone]
        permission = permit_replacement(*(item for item in records if isinstance(item, allowed)))
        return {REPLACES_METADATA: permission} if permission else {}

    def _find_record(self, identifier: str) -> Record | None:
        return self.register.table.get(identifier)

    def _withdrawn_image(self, change: IdentifierChange, reason: str) -> Live | None:
        """Return the image that the change took off, or an earlier try of the same withdrawal."""
        match change.replaced:
            case Live() as image:
                return image
            case Gone(reason=given, identifier=identifier) if given == reason:
                return self.register.journal.last_image(identifier)
            case _:
                return None

    def _image_before_tombstone(self, current: Live) -> Live | None:
        """Return the image that was withdrawn last under the identifier of `current`."""
        image = None
        for record in reversed(self.register.journal.history(current.identifier)):
            if image is not None and isinstance(record, Live):
                return record
            image = record if isinstance(record, Gone) else image
        return None

    def take_over(self, owner: str, names: Collection[str]) -> None:
        """Let a collection own these identifiers. Those without a record stay so.

        An image shows what it did until the collection publishes a master of its own. If it has
        one already, with its identifier in front, that image is renamed. Raises IdentifierRefused
        as `rename` does, and TransientError.
        """
        for name in map(parse_identifier, names):
            self.register.change(name, take_over(owner))
            match self._find_record(f"{owner}-{name}"):
                case Live(owner=other) as image if other == owner:
                    self.rename(image.identifier, name, replace_withdrawn=True)

    def _check_free(self, current: Record | None, image: Live, replace_withdrawn: bool) -> None:
        master_key = image.master_key
        if current and has_other_owner(current, image.owner):
            raise IdentifierRefused(
                "identifier-taken",
                f'"{current.identifier}" belongs to the collection "{current.owner}", and '
                f'"{image.identifier}" to '
                + (f'the collection "{image.owner}".' if image.owner else "none."),
            )
        match current:
            case Live() if not may_replace_master(current, master_key, image.owner):
                raise IdentifierRefused(
                    "identifier-taken",
                    f'"{current.identifier}" is already an image, of the master '
                    f'"{current.master_key}".',
                )
            case Redirect() if not redirects_to_image_of(self._find_record, current, master_key):
                raise IdentifierRefused(
                    "identifier-taken",
                    f'"{current.identifier}" redirects to "{current.target}". To use it for an '
                    f"image, first run: vitrine redirects remove {quote(current.identifier)}",
                )
            case Gone() if not replace_withdrawn:
                raise withdrawn_image_error(current)

    def _ingest_as(
        self, master_key: str, identifier: str, *, replaces: Record | None
    ) -> ObjectInfo:
        try:
            master = self.masters.head(master_key)
            metadata = dict(master.metadata) | {IDENTIFIER_METADATA: identifier}
            metadata.pop(REPLACES_METADATA, None)
            if permission := permit_replacement(replaces):
                metadata[REPLACES_METADATA] = permission
            return self.masters.copy_in_place(master_key, metadata, if_etag=master.etag)
        except ObjectMissing:
            raise IdentifierRefused(
                "master-missing",
                f'The master "{master_key}" was deleted. Upload it again, as "{identifier}".',
            ) from None
        except PreconditionFailed:
            sentence = f'The master "{master_key}" was replaced just now; try again.'
            raise IdentifierRefused("master-replaced", sentence) from None


def _another_image_error(current: Live, withdrawn: Live) -> IdentifierRefused:
    identifier = current.identifier
    return IdentifierRefused(
        "another-image",
        f'"{identifier}" is live as something else: it shows the master "{current.master_key}". '
        f'The withdrawn image was made from "{withdrawn.master_key}"; to show that one again, '
        f"upload it with another identifier: vitrine ingest FILE --identifier NAME",
    )
