"""A list that is closed while somebody changes it closes the pages of what it shows by that."""

from unittest.mock import patch

import pytest

from tests.unit.catalogue.rules_museum import Museum
from vitrine.catalogue.outdated_pages import publish_changed_images
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
