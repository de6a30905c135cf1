"""Whatever happens in whatever order: the site shows what a new one would, and no more."""

import re
from random import Random

import msgspec
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.unit.present.pages.changing_site import IMAGES, NAMES, ChangingSite

names, images = st.sampled_from(NAMES), st.sampled_from(IMAGES)
languages = st.lists(st.sampled_from(("en", "de", "fr")), min_size=1, max_size=3, unique=True)
canvases = st.lists(images, min_size=1, max_size=4)
sizes = st.sampled_from((1, 90, 101, 250, 1_001))


class Changes(RuleBasedStateMachine):
    """What curators, visitors' uploads, queues and crashes do to a site."""

    def __init__(self) -> None:
        super().__init__()
        self.site = ChangingSite()

    @rule(name=names, shown=canvases)
    def put_object(self, name: str, shown: list[str]) -> None:
        self.site.put_object(name, shown)

    @rule(name=names, shown=canvases, number=st.integers(1, 12))
    def put_object_and_crash(self, name: str, shown: list[str], number: int) -> None:
        """A curator repeats the command that failed."""
        self.site.crash_at(number, lambda: self.site.put_object(name, shown))

    @rule(name=names, members=names, image=images, size=sizes)
    def put_collection(self, name: str, members: str, image: str, size: int) -> None:
        self.site.put_collection(name, members, image, size)

    @rule(name=names, number=st.integers(0, 6))
    def withdraw(self, name: str, number: int) -> None:
        self.site.crash_at(number, lambda: self.site.withdraw(name))

    @rule(old=names, new=names)
    def rename(self, old: str, new: str) -> None:
        self.site.rename(old, new)

    @rule(image=images, width=st.sampled_from((300, 800)))
    def publish_image(self, image: str, width: int) -> None:
        self.site.publish_image(image, width)

    @rule(image=images)
    def withdraw_image(self, image: str) -> None:
        self.site.withdraw_image(image)

    @rule(image=images, access=st.sampled_from(("open", "small:256", "closed")))
    def restrict_image(self, image: str, access: str) -> None:
        self.site.restrict_image(image, access)

    @rule(old=images, new=images)
    def rename_image(self, old: str, new: str) -> None:
        self.site.rename_image(old, new)

    @rule(order=languages)
    def change_theme(self, order: list[str]) -> None:
        self.site.speak(*order)

    @rule(seed=st.integers(0, 999), twice=st.booleans())
    def deliver_some(self, seed: int, twice: bool) -> None:
        """Events come late, out of order, and twice."""
        chosen = Random(seed)
        self.site.deliver(lambda events: chosen.sample(events, len(events) // 2), twice=twice)

    def teardown(self) -> None:
        self.site.deliver_all()
        self.check_pages()
        assert self.site.rebuild() == [], "all was right"

    def check_pages(self) -> None:
        written, fresh = self.site.files(), self.site.fresh_files()
        assert {key: written.get(key) for key in fresh} == fresh
        titles = self.site.visible_titles()
        pictures = self.site.visible_images()
        for key, body in written.items():
            text = self.site.readable(key, body)
            assert set(re.findall(r"Title \d+", text)) <= titles, key
            assert set(re.findall(r"/iiif/[23]/([^/\"]+)", text)) <= pictures, key
            if key not in fresh and key.startswith("oembed/"):
                assert msgspec.json.decode(body) == {"version": "1.0", "type": "link"}


TestChanges = Changes.TestCase
# Without shrinking: steps are independent of each other, and each example renders many pages.
TestChanges.settings = settings(
    max_examples=20,
    stateful_step_count=30,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
