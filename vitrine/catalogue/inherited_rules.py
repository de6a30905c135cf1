"""Images of objects get the rules of access of the collections that their objects are in.

The rule is written into each image's record, so that no tile needs to look at a collection. The
process that changes an object or collection does this at once for the images of one slice. The
publisher announces the rest (`RulesOutdated`): each slice ends in time, and announces what it
leaves. A slice compares records with the collections as they are then, so slices may come twice and
in any order.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, cached_property, partial

from vitrine.catalogue.concerned_members import (
    Concerned,
    Left,
    find_concerned,
    find_lacking,
    rules_of_left,
)
from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    Renamed,
    follow_renames,
    rule_of,
)
from vitrine.catalogue.register import MemberListing, ObjectRegister
from vitrine.catalogue.ruled_collections import Holders, Look, RuledCollections, restrictions
from vitrine.catalogue.shown_images import Shown, divide, read_shown
from vitrine.errors import IdentifierRefused, TransientError
from vitrine.events import ImagePublished, RulesOutdated
from vitrine.identify.access_changes import inherit_access, restrict_inherited
from vitrine.identify.current_names import follow_redirects
from vitrine.identify.identifier import is_identifier
from vitrine.identify.journal import Journal
from vitrine.identify.redirects.bulk import BATCH, Workers
from vitrine.identify.register import Edit, Register
from vitrine.identify.rule_changes import REPEATED_WITHIN, may_be_unannounced
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.ports import EventBus, IdentifierTable, VersionedStore
from vitrine.records import Live
from vitrine.store.clock import now
from vitrine.store.layout import user_of, uses_folder
from vitrine.store.omissions import Omissions
from vitrine.store.revisions import Revisions, list_folder

THREADS = 16
AT_ONCE = 25
"""Members between two looks at the clock, of some dozen requests each; fewer of many images."""
ATTEMPTS = 8
ALL = 0
"""In place of a revision: all members are looked at."""


@dataclass(frozen=True, kw_only=True)
class InheritedRules:
    """Writes the rules into the records of images."""

    records: VersionedStore
    journal: Revisions[ObjectRecord]
    identifiers: IdentifierTable
    events: EventBus
    omissions: Omissions
    """Objects whose records cannot be read, so that their images keep the rules that they have."""
    repeated_within: timedelta = REPEATED_WITHIN
    """Time after which what is as it should be is not announced again."""

    @cached_property
    def collections(self) -> RuledCollections:
        """The collections that have rules."""
        return RuledCollections(self.records, self.journal)

    def concern(self, record: ObjectRecord) -> bool:
        """Return True if images may have to get other rules because of this record."""
        if rule_of(record):
            return True
        look = Look(self.collections)
        match record:
            case Described(item=item):
                return look.may_hold(record.identifier, item.part_of)
            case Renamed(target=target):
                return look.may_hold(target)
        return look.may_hold(record.identifier)

    def follow(self, outdated: RulesOutdated, more_time: Callable[[], bool]) -> None:
        """Do what is announced while time is, and announce the rest. Raises TransientError."""
        rest: RulesOutdated | None = outdated
        if more_time():
            rest = self.update(outdated.identifier, outdated.since, outdated.after, more_time)
        if rest:
            self.events.publish(rest.name(), rest.detail())

    def try_following(self, outdated: RulesOutdated, more_time: Callable[[], bool]) -> None:
        """Do what is announced, as above, among announcements of others.

        An object whose own record stops it is recorded as left out. Raises TransientError.
        """
        self.omissions.attempt(outdated.identifier, lambda: self.follow(outdated, more_time), None)
        self.omissions.store()

    def update(
        self, identifier: str, since: int, after: str, more_time: Callable[[], bool]
    ) -> RulesOutdated | None:
        """Bring the images of an object, or of a collection's members, up to date while time is.

        `since` is the revision before the change. One part is done even without time, so that each
        call comes further. Returns what is left. Raises TransientError: the same call again does
        it all.
        """
        if not self.collections.names():
            return None
        name, record = follow_renames(self.journal, identifier)
        if record is None or not self.concern(record):
            return None
        look = Look(self.collections)
        concerned = find_concerned(self.journal, look, identifier, since, record)
        match record:
            case Described(item=ObjectCollection(thumbnail=image)) if image and not after:
                self._apply({name: []})
        register = ObjectRegister(self.records, self.journal)
        remaining = concerned.names_after(after)
        for start in range(0, len(remaining), AT_ONCE):
            batch = remaining[start : start + AT_ONCE]
            listed = concerned.pick(batch).listed
            # Collections of an earlier version have no such notes, or not all.
            register.note_listings(listing for listings in listed.values() for listing in listings)
            shown = self._read_all_shown(batch)
            self._announce_unmarked(name, listed, shown)
            for part in divide(shown):
                if not self._apply_part(record, concerned.pick(part)):
                    return RulesOutdated(identifier=identifier, since=since, after=after)
                after = part[-1]
                if after != remaining[-1] and not more_time():
                    return RulesOutdated(identifier=identifier, since=since, after=after)
        return None

    def _read_shown(self, name: str) -> Shown:
        """Return what a member shows; nothing if its record cannot be read, which is recorded."""
        return self.omissions.attempt(name, lambda: read_shown(self.journal, name), Shown(set()))

    def _read_all_shown(self, names: Sequence[str]) -> dict[str, Shown]:
        """Return what each of these shows, in this order."""
        with ThreadPoolExecutor(THREADS, thread_name_prefix="shown") as threads:
            found = dict(zip(names, threads.map(self._read_shown, names), strict=True))
        self.omissions.store()
        return found

    def _apply_part(self, record: ObjectRecord, part: Concerned) -> bool:
        """Do it for some members; return False if it has to be looked at again what left."""
        self._apply(part.listed)
        return self._apply_to_left(record, part.left, part.at) and (
            self._apply_to_left(record, part.gone, part.at, spares_given_back=True)
        )

    def _apply(self, listed: Mapping[str, Sequence[MemberListing]]) -> None:
        """Give the images of these objects the rules of the collections that these are in.

        Also the pictures of them in what lists them. Raises TransientError.
        """
        for _ in range(ATTEMPTS):
            look = Look(self.collections)
            if self._apply_once(look, listed) and look.is_current():
                return
        raise TransientError("Rules of collections are being changed at the same time; try again.")

    def renew(self, identifier: str) -> None:
        """Give the image that an identifier leads to now the rules of all that names it.

        For one that became a redirect, or is not one any more; nothing is done for one that never
        was. Raises TransientError.
        """
        if not (self.collections.names() and Journal(self.records).was_redirect(identifier)):
            return
        for _ in range(ATTEMPTS):
            look = Look(self.collections)
            holders = self._holders_of_image(identifier, look)
            meant = {identifier: holders} if holders.rules else {}
            edits = list(self._edits(meant, is_announced=True))
            if all(self._change(*one) for one in edits) and look.is_current():
                return
        raise TransientError("Rules of collections are being changed at the same time; try again.")

    def rules_of_image(self, image: str) -> dict[str, str]:
        """Return the rules of the collections that an image is in, by collection.

        Raises TransientError.
        """
        holders = self._holders_of_image(image, Look(self.collections))
        record = self.identifiers.get(image)
        return holders.rules_for(record.owner if record else "")

    def _holders_of_image(
        self, image: str, look: Look, look_up: Callable[[str], Shown] | None = None
    ) -> Holders:
        redirects = self.identifiers.redirects_to(image)
        names = {image, *(redirect.identifier for redirect in redirects)}
        users = {
            user_of(key) for one in names for key in list_folder(self.records, uses_folder(one))
        }

        def read(user: str) -> Holders:
            shown = (look_up or partial(read_shown, self.journal))(user)
            is_shown = (shown.images | shown.pictures) & names
            return shown.holders(user, look) if is_shown else Holders()

        found = Holders()
        # Thousands of objects may have the same logo.
        with ThreadPoolExecutor(THREADS, thread_name_prefix="users") as threads:
            for holders in threads.map(read, users | names):
                found.add(holders)
        return found

    def _announce_unmarked(
        self,
        identifier: str,
        listed: Mapping[str, Sequence[MemberListing]],
        shown: Mapping[str, Shown],
    ) -> None:
        """Announce the rules of members that are collections, although no list says so.

        Of two that list each other, neither is announced: that would have no end.
        """
        look = Look(self.collections)
        for name, listings in listed.items():
            is_marked = any(one.is_collection for one in listings)
            if shown[name].is_collection and not is_marked and not look.is_within(identifier, name):
                event = RulesOutdated(identifier=name, since=ALL)
                self.events.publish(event.name(), event.detail())

    def _apply_once(self, look: Look, listed: Mapping[str, Sequence[MemberListing]]) -> bool:
        """Do it once; return False if an image was renamed meanwhile."""
        meant: dict[str, Holders] = {}

        def add(images: Iterable[str], holders: Holders) -> None:
            # Records of earlier versions may show what no image can be called.
            for image in filter(is_identifier, images if holders.rules else ()):
                meant.setdefault(image, Holders()).add(holders)

        def read(name: str) -> tuple[set[str], Holders]:
            shown = self._read_shown(name)
            return shown.images, shown.holders(name, look) if shown.images else Holders()

        with ThreadPoolExecutor(THREADS, thread_name_prefix="rules") as threads:
            for images, holders in threads.map(read, listed):
                add(images, holders)
        for outer in {one.collection for listings in listed.values() for one in listings}:
            pictures = {image for name in listed for image in look.pictures(outer, name)}
            add(pictures, look.holders_within(outer) if pictures else Holders())
        edits = list(self._edits(meant))
        with Workers() as workers:
            return all(workers.map(lambda one: self._change(*one), edits))

    def _apply_to_left(
        self,
        record: ObjectRecord,
        left: Mapping[str, Left],
        at: str,
        *,
        spares_given_back: bool = False,
    ) -> bool:
        """Restrict images of what left a collection as it did when it showed them last.

        Nothing opens by that: a slice may come late, and after others. What the collection shows
        all the same has the current rule, and outer collections are the current ones. `at` is the
        moment of the change; with `spares_given_back`, no image that somebody gave back since.
        Return False if somebody changed collections meanwhile.
        """
        if not left:
            return True
        name, look = record.identifier, Look(self.collections)
        holders = look.holders(name)
        outer, owners = restrictions(holders.rules), dict(holders.owners)
        if record.owner:
            owners[name] = record.owner
        meant = {
            image: outer | restrictions({name: rule})
            for image, rule in rules_of_left(self.journal, left, at).items()
        }
        look_up, is_done = cache(partial(read_shown, self.journal)), True

        def restrict(image: str, rules: dict[str, str]) -> bool:
            # A rule that is still the same is also the current one.
            if rules.get(name, rule_of(record)) != rule_of(record):
                shown_by = self._holders_of_image(image, look, look_up).rules
                rules = {one: rule for one, rule in rules.items() if one not in shown_by}
            return not rules or self._change(image, restrict_inherited(image, rules, now(), owners))

        # One after the other, so that the same message comes further.
        for lacking in find_lacking(
            self.identifiers, meant, at if spares_given_back else "", owners
        ):
            with Workers() as workers:
                is_done &= all(workers.map(lambda one: restrict(*one), lacking.items()))
        is_newest = self.journal.newest_revision(name) == record.revision
        return is_done and is_newest and look.is_current()

    def _edits(
        self, meant: Mapping[str, Holders], *, is_announced: bool = False
    ) -> Iterator[tuple[str, Edit]]:
        """Yield what has to be changed, or announced once more, by identifier."""
        names, at = list(meant), now()
        for start in range(0, len(names), BATCH):
            followed = follow_redirects(self.identifiers, names[start : start + BATCH])
            for name, (identifier, record) in followed.items():
                holders = meant[name]
                edit = inherit_access(
                    identifier,
                    holders.rules,
                    at,
                    instead_of=holders.previous,
                    owners=holders.owners,
                )
                # An image that was announced just now would lead here again.
                is_known = is_announced and identifier == name
                is_repeat = not is_known and may_be_unannounced(record, self.repeated_within)
                if edit(record) is not None or is_repeat:
                    yield identifier, edit

    def _change(self, identifier: str, edit: Edit) -> bool:
        register = Register(self.identifiers, Journal(self.records), self.events)
        try:
            change = register.change(identifier, edit)
        except IdentifierRefused:
            return False  # it has become a redirect: another look follows it
        if isinstance(change.after, Live):
            event = ImagePublished.of(change.after)
            self.events.publish(event.name(), event.detail())
        return True
