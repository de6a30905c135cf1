"""Images of objects get the rules of access of the collections that their objects are in.

The rule is written into each image's record, so that no tile looks at a collection. Who changes an
object or collection does it at once for as many images as one slice has, and the publisher
announces it (`RulesOutdated`): a slice ends in time, and announces what it leaves. A record is
compared with the collections as they are, so slices may come twice and in any order.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from vitrine.errors import IdentifierRefused, TransientError
from vitrine.events import ImagePublished, RulesOutdated
from vitrine.identify.changes import inherit_access
from vitrine.identify.current_names import follow_redirects
from vitrine.identify.journal import Journal
from vitrine.identify.redirects.bulk import BATCH, Workers
from vitrine.identify.register import Edit, Register
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.ports import EventBus, IdentifierTable, VersionedStore
from vitrine.present.objects.records import (
    Described,
    ObjectRecord,
    Renamed,
    follow_renames,
    member_pictures,
    rule_of,
    used_images,
)
from vitrine.present.objects.register import Listing, ObjectRegister
from vitrine.present.objects.ruled_collections import Holders, Look, RuledCollections
from vitrine.records import Live
from vitrine.store.clock import now
from vitrine.store.layout import user_of, uses_folder
from vitrine.store.revisions import Revisions, list_folder

THREADS = 16
AT_ONCE = 25
"""Members between two looks at the clock, of some dozen requests each."""
MOST_IMAGES = 1_000
"""Images after which there is one earlier: some 60 ms each, 16 at a time."""
ATTEMPTS = 8
ALL = 0
"""In place of a revision: all members are looked at."""


class Shown(NamedTuple):
    """What an object or collection shows."""

    images: set[str]
    """An object's views and its thumbnail; of a collection, the thumbnail."""
    part_of: tuple[str, ...] = ()
    is_collection: bool = False
    pictures: frozenset[str] = frozenset()
    """A collection's images of its members."""

    def holders(self, name: str, look: Look) -> Holders:
        """Return the rules of these images from collections; `name` is what shows them."""
        return look.holders_within(name) if self.is_collection else look.holders(name, self.part_of)


@dataclass(frozen=True, kw_only=True)
class InheritedRules:
    """Writes the rules into the records of images."""

    records: VersionedStore
    journal: Revisions[ObjectRecord]
    identifiers: IdentifierTable
    events: EventBus

    @cached_property
    def collections(self) -> RuledCollections:
        """The collections that have rules."""
        return RuledCollections(self.records, self.journal)

    def concern(self, record: ObjectRecord) -> bool:
        """Return True if images may have to get other rules because of this record."""
        if isinstance(record, Described) and rule_of(record):
            return True
        look = Look(self.collections)
        match record:
            case Described(item=item):
                return look.may_hold(record.identifier, item.part_of)
            case Renamed(target=target):
                return look.may_hold(target)
        return False

    def follow(self, outdated: RulesOutdated, more_time: Callable[[], bool]) -> None:
        """Do what is announced while time is, and announce the rest. Raises TransientError."""
        rest: RulesOutdated | None = outdated
        if more_time():
            rest = self.update(outdated.identifier, outdated.since, outdated.after, more_time)
        if rest:
            self.events.publish(rest.name(), rest.detail())

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
        if name != identifier:
            identifier, since = name, ALL
        if not isinstance(record, Described) or not self.concern(record):
            return None
        if not after and isinstance(record.item, ObjectCollection) and record.item.thumbnail:
            self._apply({identifier: []})
        register = ObjectRegister(self.records, self.journal)
        listed = self._members(record, since)
        remaining = sorted(name for name in listed if name > after)
        for start in range(0, len(remaining), AT_ONCE):
            batch = remaining[start : start + AT_ONCE]
            # Collections of before this version have no such notes, or not all.
            register.note_listings(one for name in batch for one in listed[name])
            for part in self._divide(batch):
                self._apply({name: listed[name] for name in part})
                if part[-1] != remaining[-1] and not more_time():
                    return RulesOutdated(identifier=identifier, since=since, after=part[-1])
        return None

    def _apply(self, listed: Mapping[str, Sequence[Listing]]) -> None:
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
            holders = self._holders_of_image(identifier)
            edits = list(self._edits({identifier: holders} if holders.rules else {}))
            is_done = all(self._change(*one) for one in edits)
            if is_done and self._holders_of_image(identifier) == holders:
                return
        raise TransientError("Rules of collections are being changed at the same time; try again.")

    def rules_of_image(self, image: str) -> dict[str, str]:
        """Return the rules of the collections that an image is in, by collection.

        Raises TransientError.
        """
        return self._holders_of_image(image).rules

    def _holders_of_image(self, image: str) -> Holders:
        look, found = Look(self.collections), Holders()
        redirects = self.identifiers.redirects_to(image)
        names = {image, *(redirect.identifier for redirect in redirects)}
        users = {
            user_of(key) for one in names for key in list_folder(self.records, uses_folder(one))
        }
        for user in users | names:
            shown = self._read(user)
            if (shown.images | shown.pictures) & names:
                found.add(shown.holders(user, look))
        return found

    def _members(self, record: Described, since: int) -> dict[str, list[Listing]]:
        """Return the members that a change of a record concerns, each with what lists it.

        An object concerns itself. What is below a member is concerned with it.
        """
        if not isinstance(record.item, ObjectCollection):
            return {record.identifier: []}
        before = self.journal.entry(record.identifier, since) if since else None
        is_next = since + 1 == record.revision and rule_of(before) == rule_of(record)
        known = member_pictures(before) if is_next else {}
        look, found = Look(self.collections), dict[str, list[Listing]]()
        for member in record.item.members:
            is_known = member.identifier in known
            if is_known and member.image in ("", *known[member.identifier]):
                continue
            own = Listing(record.identifier, member.identifier, member.is_collection)
            is_entered = member.is_collection and not is_known
            for one in (own, *(look.below(own.member) if is_entered else ())):
                found.setdefault(one.member, []).append(one)
        return found

    def _divide(self, names: Sequence[str]) -> Iterator[list[str]]:
        """Yield these objects in parts of not too many images."""
        with ThreadPoolExecutor(THREADS, thread_name_prefix="rules") as threads:
            counts = [len(shown.images) for shown in threads.map(self._read, names)]
        part, images = list[str](), 0
        for name, count in zip(names, counts, strict=True):
            if part and images + count > MOST_IMAGES:
                yield part
                part, images = [], 0
            part.append(name)
            images += count
        if part:
            yield part

    def _read(self, name: str) -> Shown:
        """Return what an object or collection shows.

        What has no record is an image by itself, or an object that is yet to come.
        """
        _, record = follow_renames(self.journal, name)
        if record is None:
            return Shown({name})
        match record:
            case Described(item=ObjectCollection(thumbnail=thumbnail)):
                pictures = frozenset().union(*member_pictures(record).values())
                return Shown({thumbnail} - {""}, is_collection=True, pictures=pictures)
            case Described(item=item):
                return Shown(used_images(record), item.part_of)
        return Shown(set())

    def _apply_once(self, look: Look, listed: Mapping[str, Sequence[Listing]]) -> bool:
        """Do it once; return False if an image was renamed meanwhile."""
        meant: dict[str, Holders] = {}

        def add(images: Iterable[str], holders: Holders) -> None:
            for image in images if holders.rules else ():
                meant.setdefault(image, Holders()).add(holders)

        def read(name: str) -> tuple[set[str], Holders]:
            shown = self._read(name)
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

    def _edits(self, meant: Mapping[str, Holders]) -> Iterator[tuple[str, Edit]]:
        """Yield what has to be changed, by identifier."""
        names, at = list(meant), now()
        for start in range(0, len(names), BATCH):
            followed = follow_redirects(self.identifiers, names[start : start + BATCH])
            for name, (identifier, record) in followed.items():
                holders = meant[name]
                edit = inherit_access(identifier, holders.rules, at, instead_of=holders.previous)
                if edit(record) is not None:
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
