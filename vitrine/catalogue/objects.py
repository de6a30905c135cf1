"""What a curator does to objects: describe, withdraw and rename them. All doors lead here."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from vitrine.access.collection_rules import CollectionRules
from vitrine.catalogue import changes
from vitrine.catalogue.cleaning import clean_item
from vitrine.catalogue.nesting import find_cycle
from vitrine.catalogue.publication_basis import PublicationBasis, Replaced
from vitrine.catalogue.publisher import Publisher, Publishing
from vitrine.catalogue.records import Described, Item, ObjectRecord, is_list, rule_of
from vitrine.catalogue.register import Edit, ObjectRegister, Seen
from vitrine.catalogue.rules import find_faults, find_rule_faults
from vitrine.errors import ObjectRefused, PreconditionFailed, RevisionChanged
from vitrine.identify.identifier import parse_identifier
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject
from vitrine.store.clock import now
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.revisions import check_revision
from vitrine.text.ocr_results.stored import copy_readings

MAX_FAULTS = 20


@dataclass(frozen=True)
class ChangeResult:
    """What a change came to."""

    record: ObjectRecord
    changed: bool
    """False if the record was like that before."""
    publishing: Publishing


@dataclass(frozen=True)
class Objects:
    """The objects and collections of an environment."""

    publisher: Publisher

    def put(
        self,
        item: Item,
        *,
        over: int | None = None,
        replace_withdrawn: bool = False,
        keeps_closed: bool = False,
        owner: str | None = None,
        takes_over: bool = False,
    ) -> ChangeResult:
        """Let an identifier show this object or collection, from now on.

        `over` is the revision that it has to replace, if given; with `keeps_closed`, a collection
        that is closed at that moment stays so. `owner` is the collection on whose behalf it is put;
        what another one has is refused unless `takes_over` (`changes.describe`). Raises
        ObjectRefused, RevisionChanged and TransientError.
        """
        item = clean_item(item)
        if faults := self.find_faults(item):
            more = len(faults) - MAX_FAULTS
            shown = faults[:MAX_FAULTS] + ([f"and {more:,} more faults."] if more > 0 else [])
            sentence = f'"{item.identifier}" was not published:'
            raise ObjectRefused("record-invalid", sentence, shown)
        self.refuse_cycle(item)
        edit = changes.describe(
            item,
            now(),
            over=over,
            replace_withdrawn=replace_withdrawn,
            keeps_closed=keeps_closed,
            owner=owner,
            takes_over=takes_over,
        )
        return self.change(item.identifier, edit)

    def find_faults(self, item: Item) -> list[str]:
        """Return a sentence for each rule that an item breaks, if it would be refused for them."""
        faults = list(find_faults(item))
        return [] if faults and self._differs_in_rule_alone(item) else faults

    def _differs_in_rule_alone(self, item: Item) -> bool:
        """Return True for a stored collection under another rule that can be read.

        It is closed whatever an earlier version took that is refused now.
        """
        match item, self.publisher.journal.latest(item.identifier):
            case ObjectCollection(access=rule), Described(item=ObjectCollection() as stored):
                is_same = msgspec.structs.replace(stored, access=rule) == item
                return is_same and not list(find_rule_faults(item))
        return False

    def withdraw(self, identifier: str, reason: str, *, over: int | None = None) -> ChangeResult:
        """Take an object off the web: its addresses answer 410 with this reason. Raises as above.

        Its images stay where they are: withdraw those, too, if nobody may see them.
        """
        name = parse_identifier(identifier)
        return self.change(name, changes.withdraw(name, reason, now(), over=over))

    def rename(self, old: str, new: str, *, over: int | None = None) -> ChangeResult:
        """Give an object another identifier; the old one then redirects there. Raises as above.

        The same call again finishes what an earlier one began. `over` is the revision that `old`
        has, if given.
        """
        old, new = parse_identifier(old), parse_identifier(new)
        if old == new:
            raise ObjectRefused(
                "self", f'"{old}" is called that already: choose another identifier.'
            )
        written: Item | None = None

        def write() -> ChangeResult:
            nonlocal written
            current = self.publisher.journal.latest(old)
            item = changes.renamed_item(current, old, new)
            check_revision(old, current.revision if current else 0, over)
            newest = current.revision if current else None
            try:
                if item is not None:
                    assert current, "it has an item"
                    self._describe_renamed(item, current, written)
                    written = item
                return self.change(old, changes.move_to(old, new, now(), over=newest))
            except RevisionChanged as error:
                # Such as one that was closed meanwhile: the new name gets that as well.
                raise PreconditionFailed(old) from error

        try:
            return retry_if_changed(write, f'"{old}"')
        except (ObjectRefused, RevisionChanged):
            self._keep_identifier(old, new)
            raise

    def _keep_identifier(self, old: str, new: str) -> None:
        """Let no rule of `new` hold for a collection that was not renamed to it after all."""
        rules, current = self.publisher.rules(), self.publisher.journal.latest(old)
        if rules and rules.get(old).target == new and isinstance(current, Described):
            self.publisher.memberships.finish(current, current, keeps=False)

    def _describe_renamed(self, item: Item, current: ObjectRecord, written: Item | None) -> None:
        """Let the new identifier show what `current` shows, over what was `written` before.

        Raises RevisionChanged if it changes at this moment.
        """
        new = item.identifier
        present = self.publisher.journal.latest(new)
        if present is not None and changes.shown_item(present) not in (item, written):
            raise ObjectRefused(
                "identifier-taken", f'"{new}" is used already: choose another identifier.'
            )
        self.refuse_cycle(item)
        if isinstance(item, PublishedObject) and item.ocr:
            # Before it is published, which asks for what is not known of its pages.
            copy_readings(self.publisher.records, current.identifier, new, datetime.now(UTC))
        over = present.revision if present else 0
        if isinstance(item, ObjectCollection):
            self.publisher.memberships.rename(current.identifier, new)
        edit = changes.describe(
            item, now(), over=over, remembered=rule_of(current), owner=current.owner or None
        )
        self.change(new, edit)

    def refuse_cycle(self, item: Item) -> None:
        """Raise ObjectRefused for a collection that would be in one of those in it.

        Of two that are put at the same moment, each in the other, neither is noticed; walks through
        collections enter each once.
        """
        if not isinstance(item, ObjectCollection):
            return
        journal = self.publisher.journal
        path = find_cycle(item, journal.latest(item.identifier), journal)
        if not path:
            # A list may not mark which of its members are collections.
            rules = self.publisher.rules() or CollectionRules()
            listing = self.publisher.memberships.collections.listing(item.identifier)
            outer = {*rules.around_all(listing)}
            inner = sorted(outer.intersection(one.identifier for one in item.members))
            path = [item.identifier, *inner[:1], item.identifier] if inner else []
        if path:
            raise ObjectRefused(
                "collection-in-itself",
                f'"{item.identifier}" would be in itself: {" > ".join(path)}. Take one of these '
                "out of the one before it first.",
            )

    def _finish_renaming(self, before: ObjectRecord | None) -> None:
        """Finish what renames a collection to this one, before that shows something else.

        Images are noted under the previous identifier, which has to lead here when they leave.
        """
        if not (isinstance(before, Described) and is_list(before)):
            return
        rules, new = self.publisher.rules() or CollectionRules(), before.identifier
        for old in [name for name, one in rules.collections.items() if one.target == new]:
            current = self.publisher.journal.latest(old)
            # One that is closed meanwhile is renamed with that rule, by who began.
            if (
                isinstance(current, Described)
                and changes.renamed_item(current, old, new) == before.item
            ):
                with suppress(RevisionChanged):
                    self.change(old, changes.move_to(old, new, now(), over=current.revision))

    def change(self, identifier: str, edit: Edit) -> ChangeResult:
        """Make a change and publish it. Raises what `edit` raises, and TransientError.

        Images know of their collections before anything of them is published.
        """
        memberships, journal = self.publisher.memberships, self.publisher.journal

        def prepare(before: ObjectRecord | None, after: ObjectRecord) -> Seen:
            self._finish_renaming(before)
            return memberships.prepare(before, after)

        def undo(prepared: ObjectRecord) -> None:
            if newest := journal.latest(identifier):
                memberships.finish(prepared, newest, keeps=False)

        register = ObjectRegister(self.publisher.catalogue, prepare=prepare, refuse=undo)
        change = register.change(identifier, edit)
        # Before images are read for the last time, which what is published rests on.
        replaced = Replaced.read(self.publisher.site, identifier)
        images = memberships.finish(change.replaced, change.record, change.seen)
        read = PublicationBasis(replaced, change.record, images)
        publishing = self.publisher.publish(identifier, read=read)
        assert publishing, "it has a record, which was written just now or before"
        return ChangeResult(change.record, change.made, publishing)
