"""A list that others close or replace while somebody changes or renames it."""

from unittest.mock import patch

import pytest

from tests.unit.catalogue.rules_museum import Museum
from vitrine.catalogue.objects import ChangeResult, Objects
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.catalogue.register import Edit
from vitrine.store.revisions import Revisions
from vitrine.store.site_layout import object_page_key


@pytest.mark.parametrize("closed", ["shelf", "box"])
def test_pages_of_pictures_close(closed: str) -> None:
    """The list is closed itself, or by one around it, which is announced and done at once."""
    museum = Museum()
    publisher, append, once = museum.bench.publisher, Revisions.append, [closed]

    def append_late(journal: Revisions[object], identifier: str, *rest: object) -> None:
        if identifier == "shelf" and once:
            members = ["book"] if once.pop() == "shelf" else ["shelf"]
            museum.put_collection(closed, members, "closed")
            museum.deliver_some(0, everything=True)
        append(journal, identifier, *rest)  # type: ignore[arg-type]

    def page() -> bytes:
        return museum.bench.site.get(object_page_key("three"))[0]

    museum.put_object("book", ["one"])
    museum.put_collection("shelf", ["book"], "")
    publish_changed_images(publisher, ["one", "three"])
    museum.deliver_some(0, everything=True)
    shown = page()
    with patch.object(Revisions, "append", append_late):
        museum.put_collection("shelf", ["book"], "", ["three"])
    museum.deliver_some(0, everything=True)
    assert museum.access("three") == "closed"
    closed_page = page()
    publish_changed_images(publisher, ["three"])
    assert shown != closed_page == page()


@pytest.mark.parametrize("rule", ["closed", "open"])
@pytest.mark.parametrize("becomes", ["another", "withdrawn"])
def test_what_a_renaming_is_overtaken_by_comes_after_it(rule: str, becomes: str) -> None:
    """The new identifier gets another list, or none, before the old one leads there."""
    museum = Museum()
    publisher, change, once = museum.bench.publisher, Objects.change, [becomes]

    def change_early(objects: Objects, identifier: str, edit: Edit) -> ChangeResult:
        if identifier == "shelf" and once:
            if once.pop() == "withdrawn":
                museum.withdraw("rack")
            else:
                museum.put_collection("rack", ["letter"], rule)
            museum.deliver_some(0, everything=True)
        return change(objects, identifier, edit)

    museum.put_object("book", ["one"])
    museum.put_object("letter", ["two"])
    museum.put_collection("shelf", ["book"], "")
    publish_changed_images(publisher, ["one", "two"])
    with patch.object(Objects, "change", change_early):
        museum.rename("shelf", "rack")
    museum.deliver_some(0, everything=True)
    assert museum.access("one") in ("", "open")
    assert (museum.access("two") == "closed") == (becomes == "another" and rule == "closed")
    page = museum.bench.site.get(object_page_key("book"))[0]
    publish_changed_images(publisher, ["one"])
    assert museum.bench.site.get(object_page_key("book"))[0] == page
