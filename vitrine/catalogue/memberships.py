"""Images know which collections show them; who changes a list or an object writes it down.

An image's record has the names of these collections. They are there before anybody sees what shows
the image, so nothing is open between. What leaves a collection gets the rules that it had there, in
the same command. Rules themselves are in one table (`ruled_table.py`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial

import msgspec

from vitrine.access.collection_rules import NOTHING, CollectionRules
from vitrine.catalogue.collections_of import THREADS, CollectionsOf
from vitrine.catalogue.list_changes import (
    find_collections,
    left_members,
    listed_names,
    lost_by_list,
    new_members,
)
from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    Renamed,
    Shown,
    TakenDown,
    follow_renames,
    is_list,
    last_described,
    read_shown,
    used_images,
)
from vitrine.catalogue.register import NOTHING_SEEN, Seen
from vitrine.catalogue.ruled_table import RuledTable, restricting, rules_at, settling, unless_newer
from vitrine.catalogue.statements import Catalogue, said_by
from vitrine.events import ImageChanged, ImagePublished
from vitrine.identify.access_changes import join_collections, leave_collections
from vitrine.identify.current_names import led_to
from vitrine.identify.effective_rule import as_shown, is_shown_alike
from vitrine.identify.identifier import is_identifier
from vitrine.identify.journal import Journal
from vitrine.identify.redirects.bulk import BATCH, Workers
from vitrine.identify.register import Edit, IdentifierChange, Register
from vitrine.iiif.presentation.model import Member, ObjectCollection
from vitrine.ports import EventBus, IdentifierTable, VersionedStore
from vitrine.records import Live, Record, Redirect, readable
from vitrine.slices import split_batches
from vitrine.store.clock import now
from vitrine.store.collection_rules import HeldRules, Rules
from vitrine.store.omissions import Omissions
from vitrine.store.revisions import Revisions

Names = Mapping[str, Collection[str]]
"""Collections by image."""
KnownEdit = tuple[Edit, Sequence[Record | None]]
"""An edit, and the record that it is of, None for none, if that was just read."""
ReadImages = Mapping[str, Record]
"""Records of images as they are shown, by identifier."""


@dataclass(frozen=True, kw_only=True)
class Memberships:
    """Writes them into the records of images."""

    records: VersionedStore
    catalogue: Catalogue
    identifiers: IdentifierTable
    events: EventBus
    rules: HeldRules
    omissions: Omissions
    """Members whose records cannot be read, so that nobody knows what they show."""

    @cached_property
    def collections(self) -> CollectionsOf:
        """What tells which collections show an image."""
        return CollectionsOf(self.catalogue, self.identifiers)

    @property
    def journal(self) -> Revisions[ObjectRecord]:
        """The journal of objects."""
        return self.catalogue.journal

    @cached_property
    def table(self) -> RuledTable:
        """The table of rules."""
        return RuledTable(self.rules, self.events)

    def prepare(self, before: ObjectRecord | None, after: ObjectRecord) -> Seen:
        """Do what has to be done before a record takes the place of another one.

        Return what `finish` has to know. Raises TransientError: the same call again does the rest.
        """
        if before and not is_list(after) and said_by(before) == said_by(after):
            return NOTHING_SEEN  # it brings nobody anything that is not to be seen already
        name, members, rules = after.identifier, new_members(before, after), None
        shown = self._read_members(members)
        if is_list(after):
            inner = find_collections(members, shown) - {name}
            listing = partial(self.collections.listing, name)
            rules = self.table.change(restricting(after, inner, listing))
        around = self._around(after)
        self.join(self._shown_by(after, members, shown, around), around)
        revisions = {one: shown[one].revision if shown[one].name == one else -1 for one in shown}
        return Seen(revisions, rules)

    def finish(
        self,
        before: ObjectRecord | None,
        after: ObjectRecord,
        seen: Seen = NOTHING_SEEN,
        *,
        keeps: bool = True,
    ) -> ReadImages:
        """Do what is left when a record, the newest one, has taken the place of another.

        The same call may come again. What leaves gets no rule without `keeps`, which is for a
        record that was prepared and never took its place. Return the records of an object's images
        that were read and stay as they are. Raises TransientError.
        """
        if isinstance(before, TakenDown):
            # What it showed was still noted as if it did, where that made no difference.
            before = last_described(self.journal, before)
        # Before the rules, which have to know what is found here.
        around = self._around(after)
        known = self.rules()
        is_overtaken = known and known.get(after.identifier).revision > after.revision
        if is_overtaken:
            after = self.journal.latest(after.identifier) or after
            around = self._around(after)
        if known and seen.rules:
            # Who changed them meanwhile saw nothing of what this list shows from now on.
            self.table.announce(after.identifier, seen.rules, known)
        read = self._join_again(
            before, after, seen.revisions, around, None if is_overtaken else known
        )
        left, stays = left_members(before, after), False
        if is_list(before) and isinstance(after, TakenDown) and not is_overtaken:
            # Without rules around it, what it showed itself is noted as before: its rule stays.
            rules, name = self.rules() or CollectionRules(), after.identifier
            stays = not rules.rules_over([name], "").keys() - {name}
            if stays:
                left = [one for one in left if name in rules.get(one.identifier).within]
        # One that changed just now may have left its own images to be looked at.
        shown = self._read_members(left, with_previous=True)
        # What left by one identifier has not left if another one that is listed leads to it.
        listed = listed_names(after, known or CollectionRules())
        rest = settling(
            after,
            find_collections(left, shown) - listed,
            lambda: self.collections.listing(_target(after)),
        )
        lost = self._leave(before, after, around, shown, rest, keeps=keeps, stays=stays)
        if is_list(after) or (known and known.get(after.identifier) != NOTHING):
            self.table.change(unless_newer(after, rest))
            return {}
        return {image: record for image, record in read.items() if image not in lost}

    def rename(self, old: str, new: str) -> None:
        """Let images in the collection `old` be in `new` as well, which takes its place next."""
        self.table.change(lambda rules: {old: msgspec.structs.replace(rules.get(old), target=new)})

    def join(
        self,
        names: Names,
        present: Collection[str] = (),
        rules: CollectionRules | None = None,
    ) -> ReadImages:
        """Note that these collections show images, also before those are there.

        `names` has them by any identifier that leads to an image. Those that are `present` have
        records, by which they have their rules from now on. `rules` is the table, if it was read
        after these collections were found. Return the records that stay as they are. Raises
        TransientError.
        """
        requested = {
            image: {*found} for image, found in names.items() if found and is_identifier(image)
        }
        done, kept = set[str](), dict[str, Record]()
        while requested:
            done |= requested.keys()
            rules = rules or self.rules() or self.table.change(lambda rules: {})
            edits, further = dict[str, KnownEdit](), defaultdict[str, set[str]](set)
            untagged = set[str]()
            for batch in split_batches(requested, BATCH):
                read = self.identifiers.get_many(batch, consistent=True)
                records = readable(read)
                for image in batch:
                    if isinstance(record := records.get(image), Redirect):
                        further[record.target] |= requested[image]
                    edit = _join_edit(image, requested[image], present, rules)
                    if not (edited := edit(record)):
                        kept |= {image: as_shown(record, rules)} if record else {}
                        continue
                    # One that is damaged is read again, and written from the journal.
                    is_known = image in records or image not in read
                    edits[image] = edit, [record] if is_known else []
                    if isinstance(record, Live) and is_shown_alike(edited, record, rules):
                        untagged |= requested[image]
            self.table.note_untagged(untagged, rules)
            for change in self._change_all(edits, rules):
                if isinstance(change.after, Redirect):  # perhaps just now
                    further[change.after.target] |= requested[change.after.identifier]
            requested = {image: found for image, found in further.items() if image not in done}
            rules = None
        return kept

    def _change_all(
        self, edits: Mapping[str, KnownEdit], rules: CollectionRules
    ) -> Iterator[IdentifierChange]:
        """Write the records of images; announce those that are shown otherwise under the rules.

        Also under those that came meanwhile: who changed them saw no image of that collection here.
        """

        def write(one: tuple[str, KnownEdit]) -> IdentifierChange:
            image, (edit, known) = one
            return self._change(image, edit, rules, known)

        with Workers() as workers:
            for batch in split_batches(edits.items(), BATCH):
                changes = list(workers.map(write, batch))
                newest = self.rules()
                for change in changes if newest != rules else ():
                    if not _is_shown_otherwise(change, rules):
                        self._announce_change(change, newest)
                yield from changes

    def _change(
        self,
        image: str,
        edit: Edit,
        rules: CollectionRules | None,
        known: Sequence[Record | None] = (),
    ) -> IdentifierChange:
        """Write the record of an image; announce it, before and after, if it is shown otherwise."""
        register = Register(self.identifiers, Journal(self.records), self.events)

        def announced(current: Record | None) -> Record | None:
            edited = edit(current)
            if edited and current and not is_shown_alike(edited, current, rules):
                self._announce(edited, current)
            return edited

        change = register.change_silently(image, announced, known)
        self._announce_change(change, rules)
        return change

    def _announce_change(self, change: IdentifierChange, rules: CollectionRules | None) -> None:
        if change.after and change.replaced and _is_shown_otherwise(change, rules):
            self._announce(change.after, change.replaced)

    def _announce(self, record: Record, replaced: Record) -> None:
        if isinstance(record, Live):
            changed, published = ImageChanged.of(record, replaced), ImagePublished.of(record)
            self.events.publish(changed.name(), changed.detail())
            self.events.publish(published.name(), published.detail())

    def _read_members(
        self, members: Iterable[Member], *, with_previous: bool = False
    ) -> dict[str, Shown]:
        """Return what members show; nothing of one whose record cannot be read, which is noted."""

        names = list(dict.fromkeys(one.identifier for one in members))
        newest = self.journal.find_newest(names)

        def read(name: str) -> Shown:
            return self.omissions.attempt(
                name,
                lambda: read_shown(self.journal, name, newest[name], with_previous=with_previous),
                Shown(name, set()),
            )

        with ThreadPoolExecutor(THREADS, thread_name_prefix="shown") as threads:
            found = dict(zip(names, threads.map(read, names), strict=True))
        if names:
            self.omissions.store()
        return found

    def _around(self, record: ObjectRecord) -> set[str]:
        """Return the collections that list what a record shows: itself, for that of a list."""
        if is_list(record):
            return {record.identifier}
        return self.collections.listing(_target(record))

    def _shown_by(
        self,
        record: ObjectRecord,
        members: Iterable[Member],
        shown: Mapping[str, Shown],
        around: Collection[str],
    ) -> Names:
        """Return the collections by which a record shows images, of a list for these members."""
        name, found = record.identifier, defaultdict[str, set[str]](set)
        match record:
            case Described(item=ObjectCollection(thumbnail=thumbnail)):
                for member in members:
                    of_member = shown[member.identifier]
                    for image in {member.image, *of_member.images}:
                        found[image].add(name)
                found[thumbnail].add(name)
            case Described(item=item):
                names = {*around, *item.part_of}
                for image in used_images(record) if names else ():
                    found[image] |= names
            case Renamed(target=target):
                present, renamed = follow_renames(self.journal, target)
                if renamed and present != name:
                    return self._shown_by(renamed, (), {}, self._around(renamed))
        return found

    def _join_again(
        self,
        before: ObjectRecord | None,
        after: ObjectRecord,
        seen: Mapping[str, int],
        around: Collection[str],
        rules: CollectionRules | None,
    ) -> ReadImages:
        """Join what somebody put into a member, or into a list, while the record was written."""
        if not is_list(after):
            return self.join(self._shown_by(after, (), {}, around), around, rules)
        # Those that were seen before the record was written, and have changed since.
        members = [one for one in new_members(before, after) if one.identifier in seen]
        newest = self.journal.find_newest({one.identifier for one in members})
        members = [one for one in members if newest[one.identifier] != seen[one.identifier]]
        if members:
            shown = self._read_members(members)
            self.join(self._shown_by(after, members, shown, around), around)
        return {}

    def _leave(
        self,
        before: ObjectRecord | None,
        after: ObjectRecord,
        around: Collection[str],
        left: Mapping[str, Shown],
        rest: Rules,
        *,
        keeps: bool,
        stays: bool,
    ) -> Collection[str]:
        """Let images keep the rules of what shows them no more; `rest` changes the table next.

        If what a list shows itself `stays`, only what is in collections in it is looked at. Return
        the images whose records may be others now.
        """
        if not isinstance(before, Described) or (is_list(before) and isinstance(after, Renamed)):
            return ()
        if is_list(before):
            lost = lost_by_list(before, after, left, stays=stays)
        elif not (lost := self._lost_by_object(before, after, around)):
            return ()
        rules, name = self.rules() or CollectionRules(), after.identifier
        then, later = rules_at(rules, before), rules.replace(rest(rules))
        deep = set[str]()
        if is_list(before):
            inner = {one.name for one in left.values() if one.is_collection}
            for list_ in inner if stays or is_list(after) else {*inner, name}:
                had = then.rules_over([list_], "").keys()
                if had - later.rules_over([list_], "").keys():
                    deep.update(self.collections.images_below(list_))
        self._keep(lost, deep, then, later if keeps else None, with_named=not is_list(before))
        return {*lost, *deep}

    def _lost_by_object(
        self, before: Described, after: ObjectRecord, around: Collection[str]
    ) -> dict[str, set[str]]:
        """Return the collections that show images of an object no more by it, by image."""
        is_there = isinstance(after, Described | TakenDown) and not is_list(after)
        listing = around if is_there else self.collections.listing(after.identifier)
        was = {*listing, *before.item.part_of}
        still = {} if is_list(after) else self._shown_by(after, (), {}, around)
        lost = {image: was - {*still.get(image, ())} for image in used_images(before)}
        return {image: gone for image, gone in lost.items() if gone}

    def _keep(
        self,
        lost: Mapping[str, set[str]],
        deep: Collection[str],
        then: CollectionRules,
        later: CollectionRules | None,
        *,
        with_named: bool,
    ) -> None:
        """Take collections out of images' records, and write there the rules that end by that.

        Without `later`, the table that is next, nothing is kept. What left a list has left it
        although its object may still name the collection, unless `with_named`.
        """
        names = sorted(filter(is_identifier, {*lost, *deep}))
        for batch in split_batches(names, BATCH):
            concerned = defaultdict[str, set[str]](set)
            for image, ends in led_to(self.identifiers, batch).items():
                for end in ends:
                    concerned[end] |= lost.get(image, set())

            def keep(one: tuple[str, set[str]]) -> None:
                image, gone = one
                record = self.identifiers.get(image)
                if record is None:
                    return
                lists = {then.present(each) for each in gone}
                noted = {each for each in record.collections if then.present(each) in lists}
                noted -= self.collections.still_showing(image, noted, then, with_named=with_named)
                had = then.rules_over(record.collections, record.owner)
                rest = {*record.collections} - noted
                around = later.around_all(rest) if later else had
                kept = {each: rule for each, rule in had.items() if each not in around}
                if noted or kept:
                    edit = leave_collections(noted, kept)
                    left = self._change(image, edit, self.rules()).after
                    if isinstance(left, Redirect):  # perhaps just now
                        keep((left.target, gone))
                    # Who puts it back at this moment may have found it noted.
                    back = self.collections.still_showing(image, noted, then, with_named=with_named)
                    self.join({image: back}, back)

            with Workers() as workers:
                for _ in workers.map(keep, concerned.items()):
                    pass


def _is_shown_otherwise(change: IdentifierChange, rules: CollectionRules | None) -> bool:
    after, replaced = change.after, change.replaced
    return bool(change.made and after and replaced and not is_shown_alike(after, replaced, rules))


def _join_edit(
    image: str, names: Collection[str], present: Collection[str], rules: CollectionRules
) -> Edit:
    """Return what notes an image's collections, but for those noted under another identifier."""

    def edit(current: Record | None) -> Record | None:
        known = {rules.present(one) for one in current.collections} if current else set()
        new = {one for one in names if one not in known}
        replacing = rules.around_all(new & {*present})
        version = rules.version if rules.rules_over(known | new, "") else 0
        return join_collections(image, new, now(), rules_version=version, replacing=replacing)(
            current
        )

    return edit


def _target(record: ObjectRecord) -> str:
    return record.target if isinstance(record, Renamed) else record.identifier
