"""Nothing that anybody reads says more of an image or an object than its rules of access allow.

That is: manifests, their tables of contents, collections and their pages, pages for people, the
first page, texts, search, facets, the stream of changes, dumps, sitemaps, and the documents of an
export. What tiles and tickets show is in `tests/unit/edge/test_restricted_properties.py`.
"""

import re
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.unit.catalogue.restricted_site import (
    LONELY,
    PLACES,
    SHOWS,
    SIZES,
    RestrictedSite,
    refused_by_edge,
)
from tests.unit.edge.edge_function import event, run_function
from vitrine.access.rules import strictest
from vitrine.catalogue.records import Described
from vitrine.edge.functions import CONTENT_SEARCH_REQUEST, VIEWER_REQUEST
from vitrine.identify.redirects.redirects import Redirects
from vitrine.iiif.presentation import paging
from vitrine.iiif.presentation.model import Member, ObjectCollection
from vitrine.search.titles.map_cells import describe_cell, find_cell
from vitrine.search.titles.stored_state import STATE
from vitrine.search.titles.update import CLAIM
from vitrine.store.layout import INSIDE, PUBLICATIONS

pytestmark = pytest.mark.slow

RULES = ("open", "closed", "small:700", "small:700:staff", "staff")
IMAGES = SIZES | LONELY
rules = st.fixed_dictionaries({image: st.sampled_from(RULES) for image in IMAGES})
PICTURE = re.compile(r"/iiif/[23]/([a-z]+)/[^\"'\s]+\.(?:jpg|webp|png|avif)")
OF_OBJECTS = ("title", "summary", "facet", "part", "place")
OF_CANVASES = ("label", "alt", "described", "chapter", "section", "heading")
WORD = re.compile(
    rf"(?:{'|'.join((*OF_OBJECTS, *OF_CANVASES, 'text'))})(?:{'|'.join(SIZES)})?"
    rf"(?:{'|'.join(SHOWS)})"
)


def allowed_words(rule_of: dict[str, str]) -> set[str]:
    """Return the words of objects and canvases that everybody may read."""
    words = set()
    for name, images in SHOWS.items():
        described = [image for image in images if rule_of[image] != "closed"]
        if described:
            words |= {f"{kind}{name}" for kind in OF_OBJECTS}
        for image in described:
            words |= {f"{kind}{image}{name}" for kind in OF_CANVASES}
        words |= {f"text{image}{name}" for image in images if rule_of[image] == "open"}
    # The place of one has no name.
    return words - {"placecard"}


def describe_place(name: str) -> set[str]:
    """Return what tells where an object is: its longitude, its cell on the map and in lists."""
    place = PLACES[name]
    cell = find_cell(place.longitude, place.latitude)
    return {str(place.longitude), f'"{cell}"', describe_cell(cell)["en"]}


def find_leaks(site: RestrictedSite, rule_of: dict[str, str]) -> Iterator[str]:
    """Yield what a file says that it may not."""
    words = allowed_words(rule_of)
    # What needs a right is described as it is, and shown to nobody here.
    sized = {str(IMAGES[image][0]) for image in IMAGES if rule_of[image] in ("open", "staff")}
    hidden = {str(width) for width, _ in IMAGES.values()} - sized
    shown = {image for image in IMAGES if rule_of[image] not in ("closed", "staff")}
    described = {image for image in IMAGES if rule_of[image] != "closed"}
    closed = [name for name, images in SHOWS.items() if not described & {*images}]
    for key, text in site.files():
        yield from (
            f"{key}: {one}" for name in closed for one in describe_place(name) if one in text
        )
        yield from (f"{key}: {word}" for word in {*WORD.findall(text)} - words)
        yield from (f"{key}: {size}" for size in {*re.findall(r"\b1\d{3}\b", text)} & hidden)
        # A manifest names the picture of what needs a right, at its open address, which redirects.
        pictures = described if key.startswith(("presentation/", "export ")) else shown
        yield from (f"{key}: {one}" for one in {*PICTURE.findall(text)} - pictures)


@pytest.mark.parametrize("members", [1_000, 2])
@settings(max_examples=10, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(steps=st.lists(rules, min_size=1, max_size=3))
def test_nothing_says_more_than_the_rules_allow(members: int, steps: list[dict[str, str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paging, "MEMBERS", members)
        site = RestrictedSite()
        for step in steps:
            site.restrict(step)
            assert list(find_leaks(site, step)) == []
            words = allowed_words(step)
            for name, images in SHOWS.items():
                for image in images:
                    word = f"text{image}{name}"
                    assert site.find(word) == ({name} if word in words else set())


def test_what_is_open_is_read_everywhere() -> None:
    """So that the property above compares something."""
    site = RestrictedSite()
    kinds = {key.partition("/")[0] for key, text in site.files() if "titleletter" in text}
    assert kinds >= {"presentation", "objects", "collections", "search", "data", "browse"}
    said = "".join(text for _, text in site.files())
    assert all(one in said for one in describe_place("card"))
    everything = allowed_words(dict.fromkeys(IMAGES, "open"))
    assert everything - {*WORD.findall(said)} == set()
    assert {*PICTURE.findall(said)} == {*IMAGES}


def test_only_manifests_as_stored_indexes_and_the_state_of_the_search_have_no_address() -> None:
    """So that the property above leaves nothing else out."""
    keys = [entry.key for entry in RestrictedSite().site.list_keys(limit=100_000).entries]
    assert refused_by_edge(keys) == {one for one in keys if one.startswith((PUBLICATIONS, INSIDE))}
    assert {STATE, CLAIM} <= refused_by_edge(keys)


@pytest.mark.parametrize("key", [STATE, CLAIM])
@pytest.mark.parametrize("function", [VIEWER_REQUEST, CONTENT_SEARCH_REQUEST])
def test_what_the_search_was_made_of_is_refused_in_every_spelling(
    key: str, function: tuple[str, ...]
) -> None:
    encoded = "".join(f"%{ord(sign):02x}" for sign in key)
    spellings = [key, key.replace("/", "%2F"), key.replace("/", "%2f"), encoded, encoded.upper()]
    spellings += [key.replace("i", "%69", 1), key.replace("search", "se%61rch")]
    answers = run_function([event("GET", f"/{spelling}") for spelling in spellings], function)
    assert [answer.get("statusCode") for answer in answers] == [404] * len(spellings)


LISTS = {"vault": ("letter",), "cellar": ("old",), "annex": (), "house": ("cellar", "annex")}
"""Collections with what each lists: an object, an image by its previous identifier, collections."""
AROUND = {
    "alpha": ("vault",),
    "beta": ("vault",),
    "gamma": ("annex", "house"),
    "delta": ("cellar", "house"),
}
"""The collections around each image; an object names the annex, which does not list it."""
list_rules = st.fixed_dictionaries({name: st.sampled_from(RULES) for name in LISTS})


@settings(max_examples=10, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(steps=st.lists(list_rules, min_size=1, max_size=3))
def test_nothing_says_more_than_the_rules_of_collections_allow(steps: list[dict[str, str]]) -> None:
    site = RestrictedSite()
    Redirects(site.register).add("old", "delta")
    card = site.publisher.journal.latest("card")
    assert isinstance(card, Described)
    site.objects.put(msgspec.structs.replace(card.item, part_of=("annex",)))
    for step in steps:
        for name, members in LISTS.items():
            listed = tuple(
                Member(identifier=one, label={"en": (f"title{one}",)}, is_collection=one in LISTS)
                for one in members
            )
            site.objects.put(
                ObjectCollection(
                    identifier=name, label={"en": (name,)}, members=listed, access=step[name]
                )
            )
        site.update()
        rule_of = dict.fromkeys(SIZES | LONELY, "open")
        for image, names in AROUND.items():
            rule_of[image] = strictest(step[name] for name in names) or "open"
        assert list(find_leaks(site, rule_of)) == []
        words = allowed_words(rule_of)
        for name, images in SHOWS.items():
            for image in images:
                word = f"text{image}{name}"
                assert site.find(word) == ({name} if word in words else set())
