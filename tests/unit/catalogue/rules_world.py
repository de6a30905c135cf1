"""A museum with an edge, which compares what anybody sees with what was said."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any
from unittest.mock import patch

from tests.unit.catalogue.exported_museum import ExportedMuseum
from tests.unit.catalogue.object_bench import ImpatientWorkers
from tests.unit.catalogue.rules_museum import COLLECTIONS, IMAGES, failing_after
from vitrine.access.rules import read_rule, strictest
from vitrine.catalogue import memberships
from vitrine.catalogue.publisher import Publisher, Publishing
from vitrine.catalogue.records import Described, Renamed, rule_of
from vitrine.errors import IdentifierRefused, ObjectRefused, TransientError
from vitrine.events import ImageChanged, RulesChanged
from vitrine.records import Live, Redirect
from vitrine.store.layout import (
    MANY_COLLECTIONS_TAG,
    cache_tag,
    collection_tag,
    collection_tags,
)
from vitrine.store.publications import Waiting

KEPT_BEFORE = ("live", "redirect", "gone")
"""States whose changes the edge hears of, as `stacks/constructs/edge_invalidation.py` has it."""
MOVES_OF_RULES = ("add_redirect", "replace_redirect", "rename_image")
"""Commands after which another image is shown under a name."""


class RulesWorld(ExportedMuseum):
    """Holds what collections demanded before and after each command, and what the edge keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.left: set[str] = set()
        """Images that may keep a rule of something that they left."""
        self.edge: dict[str, tuple[str, frozenset[str]]] = {}
        """Rule and tags of the answers that are kept."""
        self.waiting: list[tuple[frozenset[str], bool]] = []
        """Invalidations on their way: tags, and whether all images are meant."""
        self._hear()

    def move(self) -> None:
        """Go on in a new environment, with an edge of its own."""
        saved = self.saved
        RulesWorld.__init__(self)
        self.saved = saved
        self.left = set(IMAGES)

    def do(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Give a command, whatever becomes of it."""
        before, renamed = self.demands(), self._targets()
        if name in MOVES_OF_RULES and self.left.intersection(arguments):
            # What a name keeps is brought to what it leads to.
            self.left |= {*IMAGES}
        with_redirects = {image for image in IMAGES if self._is_redirect(image)}
        with suppress(ObjectRefused, IdentifierRefused):
            getattr(self, name)(*arguments)
        if name in ("crash", "crash_anywhere", "import_", "move", "export"):
            # Half of it may have been done: what was to be restricted may be.
            self.left |= {*IMAGES}
        if name in ("begin_table", "finish_table", "publish_table"):
            # A table restricts its images before there is a collection, and what leaves it.
            self.left |= {*IMAGES}
        if with_redirects - {image for image in IMAGES if self._is_redirect(image)}:
            # What a redirect led to stays in the collections that the redirect was in.
            self.left |= {*IMAGES}
        self._note_left(before, renamed)
        if name == "give_back" and not self._is_redirect(str(arguments[0])):
            # What a table is about to show is under the rules of what it will be in.
            coming = self._followed(image for table in self.tables for image in table.shown)
            self.left -= {str(arguments[0])} - coming

    def writes(self) -> tuple[tuple[object, str], ...]:
        """Return all by which anything is written or announced: ports and their methods."""
        return (
            (self.bench.records, "put"),
            (self.bench.catalogue, "write"),
            (self.bench.identifiers, "write"),
            (self.bench.events, "publish"),
            (self.bench.site, "put"),
        )

    def crash_anywhere(self, step: Callable[[], None], port: int, writes: int) -> None:
        """Give a command that dies after some writes of one part, and then again."""
        try:
            with failing_after(*self.writes()[port], writes):
                step()
        except TransientError:
            step()

    @contextmanager
    def before_write(self, number: int, act: Callable[[], None]) -> Iterator[list[None]]:
        """Let something happen before a write of whatever part; yield what is empty until then."""
        before, happened = iter(range(number)), list[None]()

        def watched(work: Callable[..., object]) -> Callable[..., object]:
            def write(*arguments: object, **named: object) -> object:
                if next(before, None) is None and not happened:
                    happened.append(None)
                    act()
                return work(*arguments, **named)

            return write

        with ExitStack() as patches:
            for port, name in self.writes():
                patches.enter_context(patch.object(port, name, watched(getattr(port, name))))
            yield happened

    def view(self) -> None:
        """Let somebody ask for all images; the edge keeps the answers."""
        for image in IMAGES:
            record = self.bench.publisher.shown.get(image)
            if isinstance(record, Live) and image not in self.edge:
                tags = frozenset({cache_tag(image), *collection_tags(record.collections)})
                self.edge[image] = (record.access, tags)

    def invalidate(self, chance: random.Random, *, everything: bool = False) -> None:
        """Let invalidations reach the edge: some late, some twice, in any order."""
        chance.shuffle(self.waiting)
        self.waiting += self.waiting[:1]
        while self.waiting and (everything or chance.random() < 0.5):
            tags, is_all = self.waiting.pop()
            kept = self.edge.items()
            self.edge = {image: one for image, one in kept if not (is_all or one[1] & tags)}

    def check(self) -> None:
        """Fail if an image is open that a rule closes, or closed without a reason."""
        demands = self.demands()
        for image in IMAGES:
            shown = self.bench.publisher.shown.get(image)
            rule = shown.access if shown else ""
            if image in self.own:
                assert rule == self.own[image], f"{image} is {rule}, not {self.own[image]}"
                continue
            least = self.least.get(image, "")
            if not self._is_redirect(image):
                assert strictest((rule, least)) == strictest((rule,)), f"{image} is not {least}"
            for name, demanded in demands[image].items():
                if demanded == "closed":
                    assert rule == "closed", f"{image} is {rule} in {name}, which is closed"
            has_reason = image in self.left or least or demands[image]
            if not has_reason and not self._is_redirect(image):
                assert read_rule(rule) == read_rule(""), f"{image} is {rule} without a reason"

    def check_edge(self) -> None:
        """Fail if the edge has an answer under another rule than the current one."""
        for image, (rule, _) in self.edge.items():
            record = self.bench.publisher.shown.get(image)
            if isinstance(record, Live):
                assert read_rule(rule) == read_rule(record.access), image

    def demands(self) -> dict[str, dict[str, str]]:
        """Return the restrictions of collections that show an image, by a walk over all records."""
        found = defaultdict[str, dict[str, str]](dict)
        for name in COLLECTIONS:
            record = self.bench.publisher.journal.latest(name)
            rule = rule_of(record)
            if isinstance(record, Described) and rule not in ("", "open"):
                if "members" not in record.item.__struct_fields__:
                    continue
                for image in self._followed({*self._images_below(name, set())}):
                    found[image][name] = rule
        return found

    def _note_left(
        self, before: Mapping[str, Mapping[str, str]], targets: Mapping[str, str]
    ) -> None:
        after = self.demands()
        now = self._targets()
        for image, rules in before.items():
            for name in rules:
                present = now.get(name, targets.get(name, name))
                is_there = {name, present} & after[image].keys() or self.shows(image, present)
                if not is_there:
                    self.left.add(image)

    def shows(self, image: str, collection: str) -> bool:
        """Return True if an open collection shows an image."""
        record = self.bench.publisher.journal.latest(collection)
        if not isinstance(record, Described) or rule_of(record) not in ("", "open"):
            return False
        return image in self._followed({*self._images_below(collection, set())})

    def _targets(self) -> dict[str, str]:
        found = {}
        for name in COLLECTIONS:
            record = self.bench.publisher.journal.latest(name)
            if isinstance(record, Renamed):
                found[name] = record.target
        return found

    def _is_redirect(self, image: str) -> bool:
        return isinstance(self.bench.identifiers.get(image), Redirect)

    def _hear(self) -> None:
        """Let the edge's queue hear what is announced."""
        publish = self.bench.events.publish

        def tee(name: str, detail: Mapping[str, Any]) -> None:
            publish(name, detail)
            if name == RulesChanged.name():
                tags = {collection_tag(detail["identifier"]), MANY_COLLECTIONS_TAG}
                self.waiting.append((frozenset(tags), detail["everything"]))
            if name == ImageChanged.name() and detail["was"] in KEPT_BEFORE:
                self.waiting.append((frozenset({cache_tag(detail["identifier"])}), False))

        self.bench.events.publish = tee  # type: ignore[method-assign]


UNPUBLISHED = Publishing(Waiting(revision=0), made=False, missing=())


@contextmanager
def run_world() -> Iterator[RulesWorld]:
    """Yield a world that is viewed once before anything happens.

    Nothing is published there: what documents say is compared elsewhere, and takes long.
    """
    world = RulesWorld()
    world.view()
    with (
        patch.object(Publisher, "publish", lambda *_, **__: UNPUBLISHED),
        patch.object(memberships, "Workers", ImpatientWorkers),
    ):
        yield world
