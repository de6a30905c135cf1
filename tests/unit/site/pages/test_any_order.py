"""Whatever happens in whatever order: the site shows what a new one would, and no more."""

import re
from unittest.mock import patch

import msgspec
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.unit.site.pages.changing_site import IMAGES, NAMES, ChangingSite
from vitrine.catalogue import outdated_pages, publisher

names, images = st.sampled_from(NAMES), st.sampled_from(IMAGES)
canvases = st.lists(images, min_size=1, max_size=4)
writes = st.integers(0, 12)
LANGUAGES = st.lists(st.sampled_from(("en", "de", "fr")), min_size=1, max_size=3, unique=True)
STEPS = {
    "put_object": (names, canvases, writes),
    "put_collection": (names, names, images, st.sampled_from((1, 90, 101, 250, 1_001))),
    "withdraw": (names, writes),
    "rename": (names, names),
    "publish_image": (images, st.sampled_from((300, 800))),
    "withdraw_image": (images,),
    "restrict_image": (images, st.sampled_from(("open", "small:256", "closed"))),
    "rename_image": (images, images),
    "change_theme": (LANGUAGES,),
    "deliver_some": (st.integers(0, 999), st.booleans()),
}
"""Actions of curators, uploads, queues and crashes, as methods of the site."""
steps = st.one_of([st.tuples(st.just(name), st.tuples(*how)) for name, how in STEPS.items()])


# Without shrinking: each try renders hundreds of pages.
@settings(max_examples=30, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.lists(steps, min_size=10, max_size=40))
def test_after_any_changes_the_site_is_as_if_it_were_new(
    changes: list[tuple[str, tuple[object, ...]]],
) -> None:
    # So that some are outdated, and updated one by one.
    with patch.object(publisher, "MAX_LEADING", 1), patch.object(outdated_pages, "AT_ONCE", 1):
        change(changes)


def change(changes: list[tuple[str, tuple[object, ...]]]) -> None:
    site = ChangingSite()
    for name, arguments in changes:
        getattr(site, name)(*arguments)
    site.deliver_all()
    check_pages(site)
    assert site.rebuild() == [], "all was right"
    assert site.dead_links() == set()


def check_pages(site: ChangingSite) -> None:
    """Compare all files with those of a new bucket; others neither show nor say anything."""
    written, fresh = site.files(), site.fresh_files()
    assert {key: written.get(key) for key in fresh} == fresh
    titles, pictures = site.visible_titles(), site.visible_images()
    for key, body in written.items():
        text = site.readable(key, body)
        assert set(re.findall(r"Title \d+", text)) <= titles, key
        assert set(re.findall(r"/iiif/[23]/([^/\"]+)", text)) <= pictures, key
        if key not in fresh and key.startswith("oembed/"):
            assert msgspec.json.decode(body) == {"version": "1.0", "type": "link"}
