"""A table that restricts its collection shows nothing more of it while it is published."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.unit.catalogue.rules_museum import Museum, uploaded
from tests.unit.cli.shelf_table import RULES
from vitrine.access.rules import combine_rules
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.records import rule_of
from vitrine.cli.collection.table_images import write_images
from vitrine.ingest.publish.table_rules import set_rules
from vitrine.sources.mapping.mapping_file import MappingFile, MappingUnusable
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.open_mapper import open_mapper
from vitrine.sources.updates.owned_names import OwnedNames
from vitrine.sources.updates.publish_objects import (
    TableReport,
    publish_objects,
    restrict_collection,
)

OLD, NEW, LEAVING = "one", "two", "three"


class Table:
    """A table of a shelf with one image for each object, whose command can be interrupted."""

    def __init__(self, folder: Path) -> None:
        self.museum, self.folder = Museum(), folder
        for image in (OLD, NEW, LEAVING):  # published from this table before
            if current := self.museum.bench.identifiers.get(image):
                self.museum.bench.write(replace(current, owner="shelf"))
        (folder / "collection.toml").write_text(RULES)

    def read(self, rule: str, *names: str) -> MappingFile:
        (self.folder / "shelf.csv").write_text("\n".join(["name", *names]) + "\n")
        for name in names:
            (self.folder / f"{name}.tif").touch()
        return replace(read_mapping(self.folder / "collection.toml"), access=rule)

    def send_images(self, mapping: MappingFile, *again: str) -> int:
        """Do what the command does until images are sent; return how many rules it changed."""
        objects, mapper = self.museum.bench.objects, open_mapper(mapping)
        restrict_collection(objects, mapping, again)
        rules = self.folder / "collection.toml"
        names = OwnedNames(
            identifiers=objects.publisher.identifiers, collection="shelf", has_masters=True
        )
        table = write_images(rules, mapping, mapper, [], names, objects.publisher)
        rules_held = objects.publisher.rules
        changed = set_rules(
            self.museum.curation, table.access, rules_held, table.has_rule_of_now
        ).changed
        for image in table.access.images:
            self.museum.services.register.change(image, partial(uploaded, image))
        return changed

    def put_objects(self, mapping: MappingFile, *again: str) -> TableReport:
        found = open_mapper(mapping).objects()
        mapped = [one for one in found if isinstance(one, MappedObject)]
        return publish_objects(self.museum.bench.objects, mapping, mapped, replace_withdrawn=again)

    def publish(self, rule: str, *names: str) -> None:
        mapping = self.read(rule, *names)
        self.send_images(mapping)
        assert self.put_objects(mapping).refused == []
        self.museum.deliver_some(1, everything=True)

    @property
    def rule(self) -> str:
        """Of the collection."""
        return rule_of(self.museum.bench.publisher.journal.latest("shelf"))

    def access(self, *images: str) -> set[str]:
        return {self.museum.access(image) for image in images}


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "said"),
    [
        *[("", "closed"), ("open", "closed"), ("small:2000", "closed"), ("staff", "closed")],
        *[("open", "staff"), ("small:2000", "small:1000"), ("small:1000", "staff")],
        ("small:1000:staff", "small:500"),
    ],
)
def test_no_object_that_is_put_opens_what_its_table_restricts(
    table: Table, before: str, said: str
) -> None:
    table.publish(before, OLD)
    put, seen = Objects.put, dict[str, set[str]]()

    def watched(objects: Objects, item: object, **options: object) -> object:
        if getattr(item, "identifier", "") == "shelf":
            table.museum.deliver_some(1, everything=True)
            seen["before the collection is put"] = table.access(OLD, NEW)
        return put(objects, item, **options)  # type: ignore[arg-type]

    mapping = table.read(said, OLD, NEW)
    table.send_images(mapping)
    with patch.object(Objects, "put", watched):
        table.put_objects(mapping)
    table.museum.deliver_some(1, everything=True)
    assert seen == {"before the collection is put": {said}}
    assert (table.access(OLD, NEW), table.rule) == ({said}, said)


def test_a_table_that_is_interrupted_has_restricted_all_that_it_had(table: Table) -> None:
    table.publish("open", OLD, LEAVING)
    table.send_images(table.read("closed", OLD, NEW))
    table.museum.deliver_some(1, everything=True)
    assert table.access(OLD, NEW, LEAVING) == {"closed"}
    table.publish("closed", OLD, NEW)
    assert table.access(OLD, NEW, LEAVING) == {"closed"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "said"),
    [("staff", "open"), ("small:1000", "open"), ("staff", "small:1000"), ("staff", "")],
)
def test_what_leaves_a_table_that_opens_keeps_the_rule_that_it_had(
    table: Table, before: str, said: str
) -> None:
    table.publish(before, OLD, LEAVING)
    table.send_images(table.read(said, OLD, NEW))
    assert table.rule == before
    table.publish(said, OLD, NEW)
    assert (table.access(LEAVING), table.access(OLD, NEW)) == ({before}, {said or before})


@pytest.mark.parametrize(("before", "said"), [("small:1000", "staff"), ("staff", "small:1000")])
def test_a_table_closes_nothing_that_neither_rule_closes(
    table: Table, before: str, said: str
) -> None:
    """Both together are `closed`, which would then stay."""
    assert combine_rules(before, said) == "closed"
    table.publish(before, OLD)
    table.publish(said, OLD)
    assert (table.rule, table.access(OLD)) == (said, {said})


def test_a_table_that_says_the_same_again_writes_no_collection(table: Table) -> None:
    table.publish("closed", OLD)
    journal = table.museum.bench.publisher.journal
    before = journal.find_newest(["shelf"])["shelf"]
    table.museum.bench.events.events.clear()
    for said in ("closed", "open"):
        restrict_collection(table.museum.bench.objects, table.read(said, OLD))
    assert journal.find_newest(["shelf"])["shelf"] == before
    assert table.museum.bench.events.events == []


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["staff", "small:500", "closed"])
@pytest.mark.parametrize("is_renamed", [True, False])
def test_a_table_whose_collection_will_be_refused_sets_no_rule(
    table: Table, rule: str, *, is_renamed: bool
) -> None:
    table.publish("open", OLD)
    table.museum.set_rule("shelf", rule)
    if is_renamed:
        table.museum.bench.objects.rename("shelf", "rack")
    else:
        table.museum.bench.objects.withdraw("shelf", "A claim.")
    reason = 'previous identifier of "rack"' if is_renamed else r"withdrawn \(A claim.\)"
    with pytest.raises(MappingUnusable, match=reason):
        table.send_images(table.read("open", OLD, NEW))
    assert (table.access(OLD), table.access(NEW)) == ({rule}, {""})
    # One that says the same, or nothing, changes none: its members are published as before.
    for said in (rule, ""):
        mapping = table.read(said, OLD, NEW)
        table.send_images(mapping)
        assert [row for row, _ in table.put_objects(mapping).refused] == [0]
        assert table.access(OLD, NEW) == {rule}


def test_a_withdrawn_collection_that_is_to_be_shown_again_is_restricted_first(
    table: Table,
) -> None:
    table.publish("open", OLD)
    table.museum.bench.objects.withdraw("shelf", "A claim.")
    mapping = table.read("closed", OLD, NEW)
    table.send_images(mapping, "shelf")
    assert (table.rule, table.access(OLD, NEW)) == ("closed", {"closed"})
    assert table.put_objects(mapping, "shelf").refused == []
    assert (table.rule, table.access(OLD, NEW)) == ("closed", {"closed"})
