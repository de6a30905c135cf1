"""Whatever happens in whatever order: what a collection closed is closed, unless an image's own
rule says otherwise."""

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import zip_longest
from unittest.mock import patch

import msgspec
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.unit.deliver.deliver_records import live
from tests.unit.present.objects.object_bench import ImpatientWorkers, ObjectBench, book
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.errors import IdentifierRefused, ObjectRefused, TransientError
from vitrine.events import ImageChanged, RulesOutdated
from vitrine.identify.current_names import follow_redirects
from vitrine.identify.journal import Journal
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.register import Register
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection, PublishedObject
from vitrine.ingest.publish.curation import Curation
from vitrine.ingest.publish.table_rules import TableRules, set_rules
from vitrine.present.objects import inherited_rules
from vitrine.present.objects.records import Described, Renamed
from vitrine.present.objects.rollback import roll_back
from vitrine.present.objects.ruled_collections import Look
from vitrine.records import Record, Redirect

IMAGES = ("one", "two", "three", "four")
OBJECTS = ("letter", "book", "map", "one")
COLLECTIONS = ("shelf", "rack", "box")
RULES = ("closed", "open", "small:1000", "")

images, objects = st.sampled_from(IMAGES), st.sampled_from(OBJECTS)
collections, rules = st.sampled_from(COLLECTIONS), st.sampled_from(RULES)
members = st.lists(st.one_of(objects, objects, collections), max_size=3, unique=True)
shown = st.lists(images, min_size=1, max_size=2, unique=True)
thumbnails = st.sampled_from(("", *IMAGES))
pictures = st.lists(thumbnails, max_size=4)
"""The thumbnail of a collection, and the images that it shows of its first members."""
STEPS = {
    "put_object": (objects, shown, thumbnails),
    "put_collection": (collections, members, rules, pictures),
    "set_rule": (collections, rules),
    "set_rule_again": (collections, rules),
    "withdraw": (st.one_of(objects, collections),),
    "rename": (st.one_of(objects, collections), st.one_of(objects, collections)),
    "say": (images, st.sampled_from(("closed", "open", "staff"))),
    "give_back": (images,),
    "publish_table": (collections, objects, shown, st.sampled_from(("", "open", "closed")), rules),
    "deliver_some": (st.integers(0, 99),),
    "crash": (collections, members, rules, st.integers(0, 3), st.booleans()),
    "roll_back": (collections, st.integers(0, 9)),
    "upload": (images,),
    "add_redirect": (images, images),
    "remove_redirect": (images,),
}
steps = st.one_of([st.tuples(st.just(name), st.tuples(*how)) for name, how in STEPS.items()])


class Museum:
    """What was said of collections and images, next to the service."""

    def __init__(self) -> None:
        self.bench = ObjectBench("one", "two", "three")
        self.own: dict[str, str] = {}
        self.said: dict[str, str] = {}
        services = MemoryIngestServices()
        register = Register(self.bench.identifiers, Journal(self.bench.records), self.bench.events)
        self.curation = Curation(
            register=register, masters=services.masters, outcomes=services.outcomes
        )

    def put_object(self, name: str, shown: list[str], thumbnail: str = "") -> None:
        canvases = tuple(Canvas(image=image) for image in shown)
        item = book(name, name, canvases=canvases, thumbnail=thumbnail)
        self.bench.objects.put(item, replace_withdrawn=True)

    def put_collection(
        self, name: str, members: list[str], rule: str, pictures: Sequence[str] = ()
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
        self._put(item)

    def _put(self, item: ObjectCollection) -> None:
        self.bench.objects.put(item, replace_withdrawn=True)
        self.said[item.identifier] = item.access or self.said.get(item.identifier, "")

    def set_rule(self, name: str, rule: str) -> None:
        """Put the record as it is with another rule."""
        match self.bench.publisher.journal.latest(name):
            case Described(item=ObjectCollection() as item):
                self._put(msgspec.structs.replace(item, access=rule))

    set_rule_again = set_rule

    def withdraw(self, name: str) -> None:
        self.bench.objects.withdraw(name, "A claim.")

    def rename(self, old: str, new: str) -> None:
        if (old in COLLECTIONS) == (new in COLLECTIONS):
            self.bench.objects.rename(old, new)
            self.said[new] = self.said.pop(old, "")

    def say(self, image: str, rule: str) -> None:
        self.curation.set_access(image, rule)
        self.own[image] = rule

    def give_back(self, image: str) -> None:
        self.curation.inherit(image, lambda: self.bench.publisher.rules.rules_of_image(image))
        self.own.pop(image, None)

    def publish_table(
        self, name: str, object_: str, shown: list[str], row: str, default: str
    ) -> None:
        """Publish a table of one object, as `vitrine collection publish` does."""
        if isinstance(self.bench.publisher.journal.latest(name), Renamed):
            return
        inherits = self.bench.publisher.rules
        present = inherits.collections.get(name).rule
        # A table opens no collection that is closed.
        default = "" if present == "closed" else default
        rule = default or present
        held = Look(inherits.collections).holders(object_).rules | ({name: rule} if rule else {})
        table = TableRules(decides=bool(default))
        for image in shown:
            table.add(image, row, held, default)
        kept = set_rules(self.curation, table, lambda: True).kept_closed
        ends = follow_redirects(self.bench.identifiers, shown).values()
        for image in {identifier for identifier, _ in ends}:
            if row and image not in kept:
                self.own[image] = row
            elif default and not row and self.own.get(image) != "closed":
                self.own.pop(image, None)
        self.put_object(object_, shown)
        self.put_collection(name, [object_], default, ["", shown[0]])

    def roll_back(self, name: str, revision: int) -> None:
        """Put a collection back to a moment after one of its changes; its rule is that of today."""
        journal = self.bench.publisher.journal
        if newest := journal.newest_revision(name):
            then = journal.entry(name, 1 + revision % newest)
            assert then
            roll_back(self.bench.objects, name, then.changed_at)

    def upload(self, image: str) -> None:
        """Publish an image where there is no redirect, as ingest does."""

        def edit(current: Record | None) -> Record | None:
            return None if isinstance(current, Redirect) else live(image, 800, 600)

        if self.bench.identifiers.get(image):
            self.curation.register.change(image, edit)

    def add_redirect(self, old: str, new: str) -> None:
        redirects = Redirects(self.curation.register)
        redirects.add(old, new, replace_live=True, replace_withdrawn=True, allow_dangling=True)

    def remove_redirect(self, name: str) -> None:
        Redirects(self.curation.register).remove(name)

    def crash(
        self, name: str, members: list[str], rule: str, writes: int, is_repeated: bool
    ) -> None:
        """Let the records of images fail after some writes; perhaps the command is given again."""
        write, left = self.bench.identifiers.write, iter(range(writes))

        def fail(*arguments: object) -> None:
            if next(left, None) is None:
                raise TransientError(name)
            write(*arguments)  # type: ignore[arg-type]

        with (
            patch.object(self.bench.identifiers, "write", fail),
            patch.object(inherited_rules, "Workers", ImpatientWorkers),
            suppress(TransientError),
        ):
            self.put_collection(name, members, rule)
        # It is in the journal, whatever followed.
        self.said[name] = rule or self.said.get(name, "")
        if is_repeated:
            self.put_collection(name, members, rule)

    def deliver_some(self, seed: int, *, everything: bool = False) -> None:
        """Do what is announced, out of order, some of it twice."""
        sent = self.bench.events.events
        waiting: list[RulesOutdated | ImageChanged] = [
            kind(**one)
            for name, one in sent
            for kind in (RulesOutdated, ImageChanged)
            if name == kind.name()
        ]
        sent[:] = []
        chance = random.Random(seed)
        chance.shuffle(waiting)
        waiting += waiting[:1]
        while waiting and (everything or chance.random() < 0.7):
            one = waiting.pop(0)
            if isinstance(one, ImageChanged):
                if one.state != "live":
                    self.bench.publisher.rules.renew(one.identifier)
                continue
            more_time = partial(next, iter([True]), False)
            rest = self.bench.publisher.rules.update(
                one.identifier, one.since, one.after, more_time
            )
            waiting += [rest] if rest else []
        for one in waiting:
            self.bench.events.publish(one.name(), one.detail())

    def closed_by_collections(self) -> set[str]:
        """The images below collections that were closed, found by a walk over all records."""
        closed = {name for name, rule in self.said.items() if rule == "closed"}
        below = {image for name in closed for image in self._images_below(name, set())}
        followed = follow_redirects(self.bench.identifiers, below)
        return {identifier for identifier, _ in followed.values()}

    def access(self, image: str) -> str:
        record = self.bench.identifiers.get(image)
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


# Without shrinking, which takes minutes.
@settings(max_examples=300, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.lists(steps, min_size=8, max_size=25))
def test_what_a_collection_closed_is_closed(
    changes: list[tuple[str, tuple[object, ...]]],
) -> None:
    museum = Museum()
    # So that what a collection has more of follows in slices.
    with patch.object(inherited_rules, "AT_ONCE", 1):
        for number, (name, arguments) in enumerate(changes):
            try:
                getattr(museum, name)(*arguments)
            except (ObjectRefused, IdentifierRefused):
                continue
            if number % 3 == 2:
                museum.deliver_some(number, everything=True)
                check(museum)
        museum.deliver_some(0, everything=True)
        check(museum)


def check(museum: Museum) -> None:
    for image in museum.closed_by_collections() - museum.own.keys():
        assert museum.access(image) == "closed", image
    for image, rule in museum.own.items():
        assert museum.access(image) == rule, image
