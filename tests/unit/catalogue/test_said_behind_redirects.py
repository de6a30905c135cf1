"""What is said of an image follows its rule, whatever redirects lead to it or once did.

Documents, pages and the first page are as if all had just been published again.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from itertools import count
from typing import Any
from unittest.mock import patch

import pytest

from tests.unit.catalogue.exported_museum import ExportedMuseum, SavedMuseum
from tests.unit.catalogue.object_bench import ImpatientWorkers, publish_announced_lists
from tests.unit.catalogue.rules_museum import COLLECTIONS, IMAGES
from vitrine.catalogue import memberships
from vitrine.catalogue.outdated_pages import (
    outdated_by_rules,
    publish_changed_images,
    try_updating_outdated,
)
from vitrine.errors import IdentifierRefused, ObjectRefused, TransientError
from vitrine.events import ImageChanged, RulesChanged
from vitrine.site.gallery import update_gallery
from vitrine.slices import WHOLE
from vitrine.store.layout import GALLERY_KEY

Step = tuple[object, ...]
"""A command, or `see` with the rule of the image `two`."""
OBJECTS = ("letter", "note", *COLLECTIONS)


class SaidMuseum(ExportedMuseum):
    """A letter shows `two`; a note in a list shows `four`, which is yet to come."""

    def __init__(self, saved: SavedMuseum | None = None) -> None:
        super().__init__(saved)
        self.put_object("letter", ["two"])
        self.put_object("note", ["four"])
        self.put_collection("box", ["letter"], "")
        publish_changed_images(self.bench.publisher, IMAGES[:3])
        self.deliver()

    def move(self) -> None:
        SaidMuseum.__init__(self, self.saved)

    def replace_redirect(self, name: str) -> None:
        super().replace_redirect(name)
        self.services.events.events.append(("ImagePublished", {"identifier": name}))

    def deliver(self) -> None:
        """Do all that events cause, in the order in which they were sent; again what died."""
        sent = self.bench.events.events
        while events := list(sent):
            sent.clear()
            try:
                self._handle(events)
            except TransientError:
                sent[:0] = events

    def _handle(self, events: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        changed = {one["identifier"] for name, one in events if name == ImageChanged.name()}
        publish_changed_images(self.bench.publisher, sorted(changed))
        publish_announced_lists(self.bench.publisher, events)
        for name, detail in events:
            if name == RulesChanged.name():
                outdated = outdated_by_rules(detail["identifier"])
                try_updating_outdated(self.bench.publisher, outdated, WHOLE)
        update_gallery(self.bench.gallery(), [one["identifier"] for _, one in events])

    def find_outdated(self) -> Iterator[str]:
        """Yield what would be said otherwise if it was published again."""
        publisher = self.bench.publisher
        for name in OBJECTS:
            if (done := publisher.publish(name)) and done.made:
                yield name
        for image in IMAGES:
            if self.bench.identifiers.get(image) and publisher.update_image(image):
                yield f"the page of {image}"
        before = self.first_page()
        update_gallery(self.bench.gallery(), (*IMAGES, *OBJECTS))
        if self.first_page() != before:
            yield "the first page"

    def first_page(self) -> object:
        """Return what the first page lists, without the order of one second."""
        lists = json.loads(self.bench.site.get(GALLERY_KEY)[0])
        del lists["updated_at"]
        for entry in (one for entries in lists.values() for one in entries):
            del entry["published_at"]
        return {name: sorted(map(str, entries)) for name, entries in lists.items()}

    @contextmanager
    def dying_before(self, number: int) -> Iterator[list[None]]:
        """Let the command fail before a write of whatever part; yield what is empty until then."""
        before, died = iter(range(number)), list[None]()

        def failing(work: Callable[..., object]) -> Callable[..., object]:
            def write(*arguments: object, **named: object) -> object:
                if next(before, None) is None and not died:
                    died.append(None)
                    raise TransientError("It died.")
                return work(*arguments, **named)

            return write

        with ExitStack() as patches:
            for port, name in (
                *((self.bench.records, "put"), (self.bench.catalogue, "write")),
                *((self.bench.identifiers, "write"), (self.bench.events, "publish")),
            ):
                patches.enter_context(patch.object(port, name, failing(getattr(port, name))))
            yield died


LIST: Step = ("put_collection", "shelf", ["note"], "")
TO_TWO: Step = ("add_redirect", "four", "two")
TO_THREE: Step = ("add_redirect", "four", "three")
REMOVE: Step = ("remove_redirect", "four")
CLOSE, OPEN, SMALL, STAFF = (
    ("set_rule", "shelf", rule) for rule in ("closed", "open", "small:1000", "staff")
)
CLOSED, OPENED = ("see", "closed"), ("see", "open")
CASES: dict[str, list[Step]] = {
    "a redirect": [LIST, TO_TWO, CLOSE, CLOSED, OPEN, OPENED, SMALL, STAFF, OPEN, OPENED],
    "a redirect into a closed list": [LIST, CLOSE, TO_TWO, CLOSED, OPEN, OPENED, SMALL],
    "a redirect before the list": [TO_TWO, LIST, CLOSE, CLOSED, OPEN, OPENED],
    "a redirect that was removed": [LIST, TO_TWO, REMOVE, CLOSE, CLOSED, OPEN, OPENED, STAFF],
    "one of a closed list that was removed": [LIST, CLOSE, TO_TWO, REMOVE, OPEN, OPENED, CLOSE],
    "one that was removed and set again": [
        *(LIST, TO_TWO, CLOSE, REMOVE, OPEN, TO_TWO, CLOSE, CLOSED, REMOVE, OPEN, OPENED),
    ],
    "a redirect that leads elsewhere now": [
        *(LIST, TO_TWO, CLOSE, TO_THREE, CLOSED, OPEN, OPENED, STAFF, REMOVE, OPEN, OPENED),
    ],
    "a redirect that leads back": [LIST, TO_TWO, TO_THREE, TO_TWO, CLOSE, CLOSED, OPEN, OPENED],
    "an upload in a redirect's place": [
        *(LIST, TO_TWO, ("replace_redirect", "four"), CLOSE, CLOSED, OPEN, OPENED),
    ],
    "redirects in a chain": [
        *(LIST, ("add_redirect", "one", "two"), ("add_redirect", "four", "one")),
        *(CLOSE, CLOSED, ("remove_redirect", "one"), OPEN, OPENED, REMOVE, CLOSE, CLOSED, OPEN),
    ],
    "two redirects to one image": [
        *(LIST, ("add_redirect", "one", "two"), TO_TWO, CLOSE, CLOSED),
        *(("remove_redirect", "one"), SMALL, REMOVE, OPEN, OPENED, CLOSE, CLOSED),
    ],
    "an image that is renamed, and back": [
        *(("put_object", "note", ["one"]), LIST, ("rename_image", "one", "four"), CLOSE),
        *(("rename_image", "four", "one"), OPEN, SMALL, OPEN),
    ],
    "an image that is renamed after its redirect was removed": [
        *(LIST, TO_TWO, REMOVE, ("rename_image", "two", "one"), CLOSE, OPEN, SMALL),
    ],
    "a rule of the image's own": [
        *(LIST, TO_TWO, REMOVE, ("say", "two", "open"), CLOSE, OPENED, ("say", "two", "closed")),
        *(OPEN, CLOSED, ("give_back", "two"), OPENED, CLOSE, OPENED),
    ],
    "a rule of the name's own": [
        *(LIST, ("say", "four", "closed"), TO_TWO, OPENED, CLOSE, CLOSED, REMOVE, OPEN, OPENED),
    ],
    "a list around the list": [
        *(LIST, TO_TWO, ("put_collection", "rack", ["shelf"], "closed"), CLOSED, REMOVE),
        *(("set_rule", "rack", "open"), OPENED, ("set_rule", "rack", "closed"), CLOSED),
        *(("put_collection", "rack", [], ""), CLOSED, ("set_rule", "rack", "open"), CLOSED),
    ],
    "a note that leaves its list": [
        *(LIST, TO_TWO, STAFF, REMOVE, ("put_collection", "shelf", [], ""), ("see", "staff")),
        *(CLOSE, ("see", "staff"), OPEN, ("see", "staff"), ("give_back", "two"), OPENED),
    ],
    "a note that shows another image": [
        *(LIST, TO_TWO, SMALL, REMOVE, ("put_object", "note", ["three"]), ("see", "small:1000")),
        *(CLOSE, ("see", "small:1000"), OPEN, ("see", "small:1000")),
    ],
    "a note that is withdrawn": [
        *(LIST, TO_TWO, STAFF, REMOVE, ("withdraw", "note"), ("see", "staff"), CLOSE),
        ("see", "staff"),
    ],
    "a list that is withdrawn, and comes back": [
        *(LIST, TO_TWO, STAFF, REMOVE, ("withdraw", "shelf"), ("see", "staff"), LIST),
        *(CLOSE, CLOSED, OPEN, OPENED),
    ],
    "a list that is renamed": [
        *(LIST, TO_TWO, REMOVE, ("rename", "shelf", "rack"), ("set_rule", "rack", "closed")),
        *(CLOSED, ("set_rule", "rack", "open"), OPENED),
    ],
    "an export": [
        *(LIST, TO_TWO, REMOVE, ("export",), ("move",), ("import_", False), CLOSE, CLOSED),
        *(OPEN, OPENED, ("put_collection", "shelf", [], "closed"), OPEN, OPENED),
    ],
}


def give(museum: SaidMuseum, step: Step, death: int | None = None) -> bool:
    """Give a command, which dies before a write and is given again; return True if it died."""
    name, *arguments = step
    command, died = partial(getattr(museum, str(name)), *arguments), list[None]()
    try:
        with nullcontext(died) if death is None else museum.dying_before(death) as died:
            command()
    except TransientError:
        # It may have been done already.
        with suppress(IdentifierRefused, ObjectRefused):
            command()
    museum.deliver()
    return bool(died)


@pytest.fixture(autouse=True)
def impatient_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memberships, "Workers", ImpatientWorkers)


@pytest.mark.parametrize("case", CASES)
def test_what_is_said_of_an_image_follows_its_rule(case: str) -> None:
    museum = SaidMuseum()
    for step in CASES[case]:
        if step[0] == "see":
            assert (museum.access("two") or "open") in (step[1], "inherited"), step
            continue
        give(museum, step)
        assert list(museum.find_outdated()) == [], step


DYING = (
    "a redirect that leads elsewhere now",
    "redirects in a chain",
    "a note that leaves its list",
    "one that was removed and set again",
    "an image that is renamed, and back",
)


@pytest.mark.slow
@pytest.mark.parametrize("case", DYING)
def test_so_it_does_if_commands_die_between_two_writes_and_are_given_again(case: str) -> None:
    steps = [step for step in CASES[case] if step[0] != "see"]
    for number in count():
        museum = SaidMuseum()
        deaths = [give(museum, step, number) for step in steps]
        assert list(museum.find_outdated()) == [], number
        if not any(deaths):
            assert number > 3
            return
