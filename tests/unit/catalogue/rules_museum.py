"""A museum of which somebody notes what was said of its collections and images."""

import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial, reduce
from itertools import zip_longest
from typing import Any
from unittest.mock import patch

import msgspec

from tests.unit.catalogue.object_bench import ImpatientWorkers, ObjectBench, book
from tests.unit.deliver.deliver_records import live
from tests.unit.ingest.followed_masters import publish_upload
from vitrine.access.rules import combine_rules, strictest
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.catalogue import memberships
from vitrine.catalogue.outdated_pages import (
    outdated_by_rules,
    publish_changed_images,
    try_updating_outdated,
)
from vitrine.catalogue.records import Described, Renamed, rule_of
from vitrine.catalogue.rollback import roll_back
from vitrine.errors import MasterRejected, SupersededMaster, TransientError
from vitrine.events import ImageChanged, RulesChanged
from vitrine.identify.current_names import follow_redirects
from vitrine.identify.redirects.redirects import Redirects
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection, PublishedObject
from vitrine.ingest.publish.curation import Curation
from vitrine.records import Live, Record, Redirect
from vitrine.slices import WHOLE

COLLECTIONS = ("shelf", "rack", "box")
IMAGES = ("one", "two", "three", "four")


class Museum:
    """What was said of collections and images, next to the service."""

    def __init__(self) -> None:
        self.bench = bench = ObjectBench("one", "two", "three")
        self.own: dict[str, str] = {}
        self.least: dict[str, str] = {}
        """Rules that were said of a name, and hold together with those of collections since an
        image got that name."""
        self.said: dict[str, str] = {}
        self.services = services = MemoryIngestServices(
            identifiers=bench.identifiers, records=bench.records, events=bench.events
        )
        self.curation = Curation(
            register=services.register, masters=services.masters, outcomes=services.outcomes
        )

    def put_object(
        self, name: str, shown: list[str], thumbnail: str = "", part_of: tuple[str, ...] = ()
    ) -> None:
        canvases = tuple(Canvas(image=image) for image in shown)
        item = book(name, name, canvases=canvases, thumbnail=thumbnail, part_of=part_of)
        self.bench.objects.put(item, replace_withdrawn=True)

    def put_collection(
        self,
        name: str,
        members: list[str],
        rule: str,
        pictures: Sequence[str] = (),
        *,
        keeps_closed: bool = False,
    ) -> None:
        thumbnail, *others = pictures or ("",)
        listed = tuple(
            Member(
                identifier=one, label={"en": (one,)}, is_collection=one in COLLECTIONS, image=image
            )
            for one, image in zip_longest(members, others[: len(members)], fillvalue="")
        )
        item = ObjectCollection(
            identifier=name, label={"en": (name,)}, members=listed, access=rule, thumbnail=thumbnail
        )
        self._put(item, keeps_closed=keeps_closed)

    def _put(
        self, item: ObjectCollection, *, keeps_closed: bool = False, over: int | None = None
    ) -> None:
        self.bench.objects.put(item, replace_withdrawn=True, keeps_closed=keeps_closed, over=over)
        before = self.said.get(item.identifier, "")
        is_kept = keeps_closed and before == "closed"
        self.said[item.identifier] = before if is_kept else item.access or before

    def set_rule(self, name: str, rule: str) -> None:
        """Put the record as it is with another rule."""
        match self.bench.publisher.journal.latest(name):
            case Described(item=ObjectCollection() as item, revision=revision):
                self._put(msgspec.structs.replace(item, access=rule), over=revision)

    def withdraw(self, name: str) -> None:
        self.bench.objects.withdraw(name, "A claim.")

    def withdraw_closed(self, name: str) -> None:
        """Close a collection, and withdraw it before the rule is everywhere."""
        self.set_rule(name, "closed")
        closed = self._followed(self._images_below(name, set()))
        self.withdraw(name)
        self.deliver_some(len(closed), everything=True)
        assert {self.access(image) for image in closed - self.own.keys()} <= {"closed"}

    def rename(self, old: str, new: str) -> None:
        if (old in COLLECTIONS) == (new in COLLECTIONS):
            self.bench.objects.rename(old, new)
            self.said[new] = self.said.pop(old, "")

    def say(self, image: str, rule: str) -> None:
        self.curation.set_access(image, rule)
        self.own[image] = rule
        self.least.pop(image, None)

    def give_back(self, image: str) -> None:
        memberships = self.bench.publisher.memberships
        self.curation.inherit(image, partial(memberships.collections.following, image))
        self.own.pop(image, None)
        self.least.pop(image, None)

    def roll_back(self, name: str, revision: int) -> None:
        """Put a collection back to a moment after one of its changes; its rule is that of today."""
        journal = self.bench.publisher.journal
        if newest := journal.find_newest([name])[name]:
            then = journal.entry(name, 1 + revision % newest)
            assert then
            roll_back(self.bench.objects, name, then.changed_at)

    def upload(self, image: str) -> None:
        if self.bench.identifiers.get(image):
            self.services.register.change(image, partial(uploaded, image))

    def withdraw_image(self, image: str) -> None:
        self.curation.withdraw(image, "A claim.")

    def restore_image(self, image: str) -> None:
        key = f"{image}.tif"
        permission = self.curation.permit_upload(key, image, replace_withdrawn=True)
        # A table that is behind the journal since a crash permits to replace what is there no more.
        with suppress(MasterRejected):
            publish_upload(self.services, key, image, permission)

    def rename_image(self, old: str, new: str) -> None:
        """Let the master of an image be published with another identifier, as ingest does."""
        record = self.bench.publisher.shown.get(old)
        if not isinstance(record, Live) or old == new:
            return
        with suppress(MasterRejected, SupersededMaster):
            try:
                publish_upload(self.services, record.master_key, new, previous=[old])
            except TransientError:  # the table was behind the journal: the pipeline tries again
                publish_upload(self.services, record.master_key, new, previous=[old])
            if old in self.own:
                own = (self.own[name] for name in (new, old) if name in self.own)
                self.own[new] = reduce(combine_rules, own)
            elif record.collections or record.kept:
                # What collections close, now or later, is not opened by what was said of the name.
                said = (self.own.pop(new, ""), self.least.get(new, ""), self.least.get(old, ""))
                self.least[new] = strictest(said)

    def replace_redirect(self, name: str) -> None:
        """Upload an image in place of a redirect, which somebody permitted."""
        record = self.bench.identifiers.get(name)
        if isinstance(record, Redirect):
            key = f"{name}-{record.revision}.tif"
            permission = self.curation.permit_upload(key, name, replace_redirect=True)
            with suppress(MasterRejected):
                publish_upload(self.services, key, name, permission)

    def add_redirect(self, old: str, new: str) -> None:
        redirects = Redirects(self.curation.register)
        redirects.add(old, new, replace_live=True, replace_withdrawn=True, allow_dangling=True)

    def remove_redirect(self, name: str) -> None:
        Redirects(self.curation.register).remove(name)

    def interrupt_redirect(self, old: str, new: str, sent: int, is_added: bool) -> None:
        """Add or remove a redirect; it is interrupted after some events, and done again."""
        add, remove = partial(self.add_redirect, old, new), partial(self.remove_redirect, old)
        change = add if is_added else remove
        with failing_after(self.bench.events, "publish", sent), suppress(TransientError):
            change()
        change()

    def crash(
        self, name: str, members: list[str], rule: str, writes: int, is_repeated: bool
    ) -> None:
        """Let the records of images fail after some writes; perhaps the command is given again."""
        with (
            failing_after(self.bench.identifiers, "write", writes),
            patch.object(memberships, "Workers", ImpatientWorkers),
            suppress(TransientError),
        ):
            self.put_collection(name, members, rule)
        # Either it is in the journal, or nobody sees anything of it.
        self.said[name] = rule_of(self.bench.publisher.journal.latest(name))
        if is_repeated:
            self.put_collection(name, members, rule)

    def deliver_some(self, seed: int, *, everything: bool = False) -> None:
        """Do what is announced, out of order, some of it twice."""
        sent = self.bench.events.events
        waiting: list[RulesChanged | ImageChanged] = [
            kind(**one)
            for name, one in sent
            for kind in (RulesChanged, ImageChanged)
            if name == kind.name()
        ]
        sent[:] = []
        chance = random.Random(seed)
        chance.shuffle(waiting)
        waiting += waiting[:1]
        while waiting and (everything or chance.random() < 0.7):
            one = waiting.pop(0)
            if isinstance(one, ImageChanged):
                publish_changed_images(self.bench.publisher, [one.identifier])
            else:
                outdated = outdated_by_rules(one.identifier)
                try_updating_outdated(self.bench.publisher, outdated, WHOLE)
        for one in waiting:
            self.bench.events.publish(one.name(), one.detail())

    def closed_by_collections(self) -> set[str]:
        """The images below collections that were closed, found by a walk over all records."""
        closed = {name for name, rule in self.said.items() if rule == "closed"}
        return self._followed(image for name in closed for image in self._images_below(name, set()))

    def _followed(self, images: Iterable[str]) -> set[str]:
        followed = follow_redirects(self.bench.identifiers, {*images})
        return {identifier for identifier, _ in followed.values()}

    def access(self, image: str) -> str:
        record = self.bench.publisher.shown.get(image)
        return record.access if record else ""

    def _images_below(self, name: str, entered: set[str]) -> Iterator[str]:
        if name in entered:
            return
        entered.add(name)
        match self.bench.publisher.journal.latest(name):
            case Renamed(target=target):
                yield from self._images_below(target, entered)
            case Described(item=ObjectCollection(members=members, thumbnail=thumbnail)):
                yield from {thumbnail, *(member.image for member in members)} - {""}
                for member in members:
                    yield from self._images_below(member.identifier, entered)
            case Described(item=PublishedObject(canvases=canvases, thumbnail=thumbnail)):
                yield from {thumbnail, *(canvas.image for canvas in canvases)} - {""}
            case None:
                yield name


def failing_after(port: object, name: str, done: int) -> Any:
    """Let a method of a port fail after it was called that many times."""
    work, left = getattr(port, name), iter(range(done))

    def fail(*arguments: object, **named: object) -> object:
        if next(left, None) is None:
            raise TransientError(name)
        return work(*arguments, **named)

    return patch.object(port, name, fail)


def uploaded(image: str, current: Record | None) -> Record | None:
    """Publish an image where there is no redirect, as ingest does."""
    return None if isinstance(current, Redirect) else live(image, 800, 600)
