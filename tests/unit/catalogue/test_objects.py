"""Objects are described, renamed and withdrawn, and nothing of it is ever lost."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from tests.unit.catalogue.object_bench import BASE, IMAGES, ObjectBench, book, shelf
from vitrine.access.rules import OPEN, read_rule
from vitrine.catalogue.changes import describe
from vitrine.catalogue.objects import ChangeResult, Objects
from vitrine.catalogue.records import Described, Item, Renamed, TakenDown, rule_of
from vitrine.catalogue.register import Edit
from vitrine.errors import ObjectRefused, RevisionChanged
from vitrine.iiif.presentation.model import Canvas
from vitrine.store.publications import Moved, Published, Withdrawn


@pytest.fixture
def bench() -> ObjectBench:
    return ObjectBench(*IMAGES)


def test_an_object_has_a_manifest_of_each_version(bench: ObjectBench) -> None:
    result = bench.objects.put(book())
    assert (result.changed, result.publishing.made, result.record.revision) == (True, True, 1)
    third, second = bench.document("book", 3), bench.document("book", 2)
    assert third["id"] == f"{BASE}/presentation/3/book/manifest.json"
    assert second["@id"] == f"{BASE}/presentation/2/book/manifest.json"
    assert third["label"] == {"en": ["A book"]}
    assert [canvas["width"] for canvas in third["items"]] == [800, 800, 800]
    assert len(second["sequences"][0]["canvases"]) == 3


def test_a_collection_names_its_members(bench: ObjectBench) -> None:
    bench.objects.put(shelf())
    document = bench.document("shelf")
    assert document["id"] == f"{BASE}/presentation/3/shelf/collection.json"
    (member,) = document["items"]
    assert member["id"] == f"{BASE}/presentation/3/book/manifest.json"
    assert "/iiif/3/one/" in member["thumbnail"][0]["id"]


def test_the_same_again_writes_nothing_and_tells_nobody(bench: ObjectBench) -> None:
    bench.objects.put(book())
    sent = len(bench.events.events)
    again = bench.objects.put(book())
    assert (again.changed, again.publishing.made, again.record.revision) == (False, False, 1)
    assert len(bench.events.events) == sent


def test_a_change_over_another_revision_than_one_has_seen_is_refused(bench: ObjectBench) -> None:
    bench.objects.put(book(), over=0)
    bench.objects.put(book(title="Theirs"), over=1)
    with pytest.raises(RevisionChanged, match="has revision 2, not 1: somebody changed it"):
        bench.objects.put(book(title="Ours"), over=1)
    assert bench.document("book")["label"] == {"en": ["Theirs"]}


def test_everything_it_ever_was_is_kept(bench: ObjectBench) -> None:
    for title in ("First", "Second"):
        bench.objects.put(book(title=title))
    bench.objects.withdraw("book", "A mistake.")
    first, second, third = bench.publisher.journal.history("book")
    assert isinstance(first, Described)
    assert first.item.label == {"en": ("First",)}
    assert isinstance(second, Described)
    assert isinstance(third, TakenDown)
    assert [record.revision for record in (first, second, third)] == [1, 2, 3]


def test_withdrawn_stays_withdrawn_until_somebody_says_otherwise(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.objects.withdraw("book", "A claim.")
    published = bench.published("book")
    assert isinstance(published, Withdrawn)
    assert published.reason == "A claim."
    with pytest.raises(ObjectRefused, match=r"was withdrawn \(A claim\.\)"):
        bench.objects.put(book())
    bench.objects.put(book(), replace_withdrawn=True)
    assert isinstance(bench.published("book"), Published)


def test_a_renamed_object_leaves_a_redirect_that_nothing_takes_over(bench: ObjectBench) -> None:
    bench.objects.put(book())
    for _ in range(2):  # after a crash half way it is repeated
        bench.objects.rename("book", "ms-1")
    assert bench.published("book") == Moved(revision=2, target="ms-1")
    assert bench.document("ms-1")["id"].endswith("/ms-1/manifest.json")
    assert isinstance(bench.publisher.journal.latest("book"), Renamed)
    with pytest.raises(ObjectRefused, match='previous identifier of "ms-1"'):
        bench.objects.put(book())


def test_a_collection_that_is_closed_while_it_is_renamed_is_closed_by_its_new_name(
    bench: ObjectBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.objects.put(book())
    bench.objects.put(shelf())
    change, closed = Objects.change, []

    def close_before(self: Objects, identifier: str, edit: Edit) -> ChangeResult:
        result = change(self, identifier, edit)
        if identifier == "rack" and not closed:
            closed.append(change(self, "shelf", describe(closed_shelf, "2026-11-26")))
        return result

    closed_shelf = msgspec.structs.replace(shelf(), access="closed")
    monkeypatch.setattr(Objects, "change", close_before)
    bench.objects.rename("shelf", "rack")
    assert closed
    assert isinstance(bench.publisher.journal.latest("shelf"), Renamed)
    assert rule_of(bench.publisher.journal.latest("rack")) == "closed"


def while_it_is_renamed(change: Callable[[], object]) -> Any:
    """Let somebody make a change once, between the look at the new identifier and the write."""
    refuse_cycle, once = Objects.refuse_cycle, [change]

    def busy(self: Objects, item: Item) -> None:
        if once:
            once.pop()()
        refuse_cycle(self, item)

    return patch.object(Objects, "refuse_cycle", busy)


def test_what_takes_the_new_identifier_while_another_is_renamed_keeps_it(
    bench: ObjectBench,
) -> None:
    bench.objects.put(book())
    bench.objects.put(msgspec.structs.replace(shelf(), access="closed"))
    bench.objects.put(shelf("rack"))
    with (
        while_it_is_renamed(lambda: bench.objects.rename("shelf", "new")),
        pytest.raises(ObjectRefused, match='"new" is used already'),
    ):
        bench.objects.rename("rack", "new")
    assert rule_of(bench.publisher.journal.latest("new")) == "closed"
    assert isinstance(bench.publisher.journal.latest("rack"), Described)


def test_a_collection_that_is_closed_while_its_renaming_is_finished_stays_closed(
    bench: ObjectBench,
) -> None:
    bench.objects.put(book())
    bench.objects.put(shelf())
    bench.objects.put(shelf("rack"))  # as an interrupted one left it
    closed = msgspec.structs.replace(shelf("rack"), access="closed")
    with (
        while_it_is_renamed(lambda: bench.objects.put(closed)),
        pytest.raises(ObjectRefused, match='"rack" is used already'),
    ):
        bench.objects.rename("shelf", "rack")
    assert rule_of(bench.publisher.journal.latest("rack")) == "closed"


@pytest.mark.parametrize("becomes", ["closed", "withdrawn", "renamed"])
@pytest.mark.parametrize("is_late", [False, True])
def test_a_collection_that_is_not_renamed_has_its_own_rules_alone(
    bench: ObjectBench, becomes: str, is_late: bool
) -> None:
    def take() -> None:
        bench.objects.put(msgspec.structs.replace(shelf("rack"), members=(), access="closed"))
        if becomes == "withdrawn":
            bench.objects.withdraw("rack", "A claim.")
        if becomes == "renamed":
            bench.objects.rename("rack", "box")

    bench.objects.put(book())
    bench.objects.put(shelf())
    if not is_late:
        take()
    meanwhile = while_it_is_renamed(take) if is_late else nullcontext()
    with meanwhile, pytest.raises(ObjectRefused):
        bench.objects.rename("shelf", "rack")
    shown = bench.publisher.shown.get("one")
    assert shown is not None
    assert read_rule(shown.access) == OPEN


def test_an_object_that_was_a_closed_collection_is_one_again_under_its_new_identifier(
    bench: ObjectBench,
) -> None:
    bench.objects.put(msgspec.structs.replace(shelf(), access="closed"))
    bench.objects.put(book("shelf"))
    for _ in range(2):
        bench.objects.rename("shelf", "rack")
        assert rule_of(bench.publisher.journal.latest("rack")) == "closed"
    bench.objects.put(book("rack", "Another title"))
    bench.objects.put(shelf("rack"))
    assert rule_of(bench.publisher.journal.latest("rack")) == "closed"


def test_what_is_in_the_new_place_already_also_remembers_the_rule(bench: ObjectBench) -> None:
    bench.objects.put(msgspec.structs.replace(shelf(), access="closed"))
    bench.objects.put(book("shelf"))
    bench.objects.put(book("rack"))
    bench.objects.rename("shelf", "rack")
    assert rule_of(bench.publisher.journal.latest("rack")) == "closed"


def test_no_object_is_renamed_onto_another(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.objects.put(book("other", "Another"))
    with pytest.raises(ObjectRefused, match='"other" is used already'):
        bench.objects.rename("book", "other")
    assert isinstance(bench.published("book"), Published)


def test_no_object_becomes_a_redirect_to_itself(bench: ObjectBench) -> None:
    bench.objects.put(book("Zoë"))
    with pytest.raises(ObjectRefused, match='"Zoë" is called that already') as refused:
        bench.objects.rename("Zoë", "Zoe\u0308")
    assert refused.value.code == "self"
    assert isinstance(bench.publisher.journal.latest("Zoë"), Described)


@pytest.mark.parametrize("identifier", ["nobody", "gone"])
def test_what_is_no_object_is_neither_renamed_nor_redirected(
    bench: ObjectBench, identifier: str
) -> None:
    bench.objects.put(book("gone"))
    bench.objects.withdraw("gone", "A claim.")
    with pytest.raises(ObjectRefused):
        bench.objects.rename(identifier, "new")
    assert bench.publisher.journal.latest("new") is None


def test_what_breaks_a_rule_is_named_and_not_published(bench: ObjectBench) -> None:
    bad = book(rights="free", canvases=(Canvas(image="one", label={"e n": ("x",)}),))
    with pytest.raises(ObjectRefused) as raised:
        bench.objects.put(bad)
    assert str(raised.value) == '"book" was not published:'
    assert len(raised.value.faults) == 2
    assert bench.publisher.journal.latest("book") is None


def test_of_html_what_is_dangerous_is_removed(bench: ObjectBench) -> None:
    text = '<p onclick="x()">A <b>book</b><script>alert(1)</script></p>'
    bench.objects.put(book(title=text, summary={"en": (text,)}))
    assert bench.document("book")["label"] == {"en": ["A book"]}
    assert bench.document("book")["summary"] == {"en": ["<p>A <b>book</b></p>"]}
