"""Lists show what anybody may see, whichever process died before whichever of its writes.

A command that died is given again, and messages that a Lambda did not finish come again.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.unit.catalogue.object_bench import ImpatientWorkers, book
from tests.unit.deliver.deliver_records import live
from tests.unit.lambdas.lambda_functions import Functions, batch
from vitrine.catalogue import memberships
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.outdated_pages import CHANGES_OF_LISTS
from vitrine.catalogue.records import objects_journal
from vitrine.catalogue.statements import Catalogue
from vitrine.events import ImageChanged, PagesOutdated, RulesChanged
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection, PublishedObject
from vitrine.ingest.publish.curation import Curation
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.publish_objects import publish_objects

RECEIVED = (ImageChanged.name(), PagesOutdated.name(), RulesChanged.name())
"""Events that the publisher's Lambda receives, next to some of `ObjectChanged`."""
LISTS = ("shelf", "stack")


class Died(BaseException):
    """The process has ended."""


class Museum:
    """A letter whose images are closed, an open book, and a note whose image is yet to come.

    Two lists have them, one of which names no images; a map is listed that has no record yet.
    """

    def __init__(self, functions: Functions) -> None:
        self.functions = functions
        self._writes: Iterator[int] | None = None
        self.deaths = 0
        for name in ("one", "two", "three", "five"):
            functions.services.register.change(name, lambda _, name=name: live(name))
        self.put("letter", "one", "two")
        self.put("book", "three")
        self.put("note", "four")
        for name in LISTS:
            self.put_list(name, {"letter": "one", "book": "three", "note": "four", "map": "five"})
        self.close("one", "two")
        self.deliver()

    @property
    def objects(self) -> Objects:
        """The service as a new process has it."""
        services = self.functions.services
        catalogue = Catalogue(self.functions.catalogue, objects_journal(services.records))
        self.functions.publisher = replace(self.functions.publisher, catalogue=catalogue)
        return Objects(self.functions.publisher)

    def put(self, name: str, *images: str) -> None:
        self.objects.put(_object(name, *images), replace_withdrawn=True)

    def put_list(self, name: str, members: Mapping[str, str], rule: str = "") -> None:
        has_images = name == "shelf"
        listed = tuple(
            Member(identifier=one, label={"en": (one,)}, image=image if has_images else "")
            for one, image in members.items()
        )
        item = ObjectCollection(identifier=name, label={"en": (name,)}, members=listed, access=rule)
        self.objects.put(item)

    def close(self, *images: str) -> None:
        self.restrict("closed", *images)

    def restrict(self, rule: str, *images: str) -> None:
        services = self.functions.services
        curation = Curation(
            register=services.register, masters=services.masters, outcomes=services.outcomes
        )
        for image in images:
            curation.set_access(image, rule)

    def upload(self, image: str) -> None:
        def publish(current: Any) -> Any:
            return live(image, access=current.access if current else "")

        self.functions.services.register.change(image, publish)

    def publish_table(self, name: str, *images: str) -> None:
        mapping = MappingFile(
            folder=Path(), identifier="table", label={"en": "A"}, table=Path(), masters=Path()
        )
        mapped = [MappedObject(1, _object(name, *images))]
        publish_objects(self.objects, mapping, mapped, take_over=[name])

    def deliver(self) -> None:
        """Give events to the Lambda until nothing is left; again what it did not finish."""
        sent = self.functions.services.events.events
        while events := list(sent):
            sent.clear()
            bodies = [
                json.dumps({"detail-type": name, "detail": detail})
                for name, detail in events
                if name in RECEIVED or detail.get("change") in CHANGES_OF_LISTS
            ]

            def handle(bodies: list[str] = bodies) -> None:
                assert self.objects
                done = self.functions("publish_objects", batch(*bodies))
                assert done == {"batchItemFailures": []}

            self.do(handle)

    def do(self, act: Callable[[], object]) -> None:
        """Do something; again if the process dies before one of its writes."""
        try:
            act()
        except Died:
            self._writes = None
            self.deaths += 1
            act()

    def die_before(self, number: int, act: Callable[[], object]) -> bool:
        """Do something and all that follows; return True if a process died of it."""
        services, publisher = self.functions.services, self.functions.publisher
        before, self.deaths = len(services.events.events), 0
        assert not before
        self._writes = iter(range(number))
        with ExitStack() as patches:
            for port, name in (
                *((services.records, "put"), (services.identifiers, "write")),
                *((self.functions.catalogue, "write"), (services.events, "publish")),
                (publisher.site, "put"),
            ):
                patches.enter_context(patch.object(port, name, self._mortal(getattr(port, name))))
            self.do(act)
            self.deliver()
        self._writes = None
        return bool(self.deaths)

    def _mortal(self, work: Callable[..., object]) -> Callable[..., object]:
        def write(*arguments: object, **named: object) -> object:
            # Whatever else a dead process has begun ends as well.
            if self._writes is not None and next(self._writes, None) is None:
                raise Died
            return work(*arguments, **named)

        return write

    def find_outdated(self) -> list[str]:
        """Return what would be published otherwise now."""
        names = (*LISTS, "letter", "letter-1", "book", "book-1", "note", "map")
        published = {name: self.objects.publisher.publish(name) for name in names}
        return [name for name, one in published.items() if one and one.made]


def _object(name: str, *images: str) -> PublishedObject:
    return book(name, name, canvases=tuple(Canvas(image=image) for image in images))


CASES: dict[str, Callable[[Museum], list[Callable[[], object]]]] = {
    "an image of a closed object opens": lambda it: [lambda: it.restrict("open", "two")],
    "an image is for some": lambda it: [lambda: it.restrict("staff", "one")],
    "the last image closes": lambda it: [lambda: it.close("three")],
    "it closes and opens": lambda it: [
        lambda: it.close("three"),
        lambda: it.restrict("open", "three"),
    ],
    "the first image comes": lambda it: [lambda: it.upload("four")],
    "an image is closed before it comes, and opens": lambda it: [
        lambda: it.close("four"),
        lambda: it.upload("four"),
        lambda: it.restrict("open", "four"),
    ],
    "a closed object gets an open image": lambda it: [lambda: it.put("letter", "one", "three")],
    "an open object gets a closed image": lambda it: [lambda: it.put("book", "one")],
    "an object comes that is closed": lambda it: [lambda: it.put("map", "one")],
    "an object comes that is open": lambda it: [
        lambda: it.close("five"),
        lambda: it.put("map", "three"),
    ],
    "an object is withdrawn and restored": lambda it: [
        lambda: it.objects.withdraw("book", "A claim."),
        lambda: it.put("book", "three"),
    ],
    "a closed object is withdrawn and comes back": lambda it: [
        lambda: it.objects.withdraw("letter", "A claim."),
        lambda: it.put("letter", "one"),
        lambda: it.put("letter", "three"),
    ],
    "an object is renamed and closes": lambda it: [
        lambda: it.objects.rename("book", "book-1"),
        lambda: it.close("three"),
        lambda: it.restrict("open", "three"),
    ],
    "a closed object is renamed and opens": lambda it: [
        lambda: it.objects.rename("letter", "letter-1"),
        lambda: it.restrict("open", "one"),
    ],
    "a list around them closes and opens": lambda it: [
        lambda: it.put_list("stack", {"book": ""}, "closed"),
        lambda: it.put_list("stack", {"book": ""}, "open"),
    ],
    "a table has a closed image for an object": lambda it: [
        lambda: it.publish_table("book", "one")
    ],
    "a table has an open image for an object": lambda it: [
        lambda: it.publish_table("letter", "three")
    ],
    "a table has an object that is closed": lambda it: [lambda: it.publish_table("map", "one")],
}


@pytest.fixture(autouse=True)
def impatient_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memberships, "Workers", ImpatientWorkers)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_lists_follow_though_a_process_dies(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    outdated: dict[tuple[int, int], list[str]] = {}
    for place in range(len(CASES[case](Museum(Functions(monkeypatch))))):
        for number in count():
            museum = Museum(Functions(monkeypatch))
            assert museum.find_outdated() == []
            museum.deliver()
            steps = CASES[case](museum)
            for step in steps[:place]:
                museum.do(step)
                museum.deliver()
            is_dead = museum.die_before(number, steps[place])
            if found := museum.find_outdated():
                outdated[place, number] = found
            if not is_dead:
                assert number > 2
                break
    assert outdated == {}
