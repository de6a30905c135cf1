"""Objects and collections of all shapes, drawn at random from a seed."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from tests.unit.deliver.deliver_records import live
from vitrine.iiif.presentation.image_resource import ImageResource, describe_image
from vitrine.iiif.presentation.model import (
    Agent,
    Behaviour,
    Canvas,
    ImageElsewhere,
    Link,
    Member,
    ObjectCollection,
    PublishedObject,
    Range,
    Statement,
    Texts,
    ViewingDirection,
)
from vitrine.iiif.size import Limits

LIMITS = Limits(area=25_000_000)
NAMES = ("a", "night watch", "ark:/12148/btv1b é", "Ünïcode+(1)!", "100%", "كتاب", "x" * 200)
SIZES = ((1300, 1000), (1, 1), (60_000, 40_000), (300, 301), (7300, 4100), (200_000, 40))
RIGHTS = (
    "http://creativecommons.org/publicdomain/mark/1.0/",
    "http://creativecommons.org/licenses/by-sa/4.0/",
    "http://rightsstatements.org/vocab/InC/1.0/",
)
DIRECTIONS: tuple[ViewingDirection, ...] = (
    "left-to-right",
    "right-to-left",
    "top-to-bottom",
    "bottom-to-top",
)
LAYOUTS: tuple[Behaviour, ...] = ("individuals", "continuous", "paged", "unordered")
TEXTS: tuple[Texts, ...] = (
    {"none": ("1642",)},
    {"en": ("The Night Watch",), "nl": ("De Nachtwacht",)},
    {"ar": ("كتاب الحيوان",)},
    {"de": ("Öl auf Leinwand", "Firnis")},
    {"en": ('"quoted" & more', "<p>a <b>bold</b> word</p>")},
)
T = TypeVar("T")


def make_images() -> Mapping[str, ImageResource]:
    """One image of each name."""
    images = {}
    for number, name in enumerate(NAMES):
        width, height = SIZES[number % len(SIZES)]
        images[name] = describe_image(name, live(name, width, height), LIMITS, downloads=True)
    return images


def make_objects(count: int, seed: int) -> list[PublishedObject]:
    """Objects of up to seven images."""
    chance = random.Random(seed)
    return [_object(chance) for _ in range(count)]


def make_collections(count: int, seed: int) -> list[ObjectCollection]:
    chance = random.Random(seed)
    return [
        ObjectCollection(
            identifier=chance.choice(NAMES),
            label=chance.choice(TEXTS),
            summary=_maybe(chance, chance.choice(TEXTS), {}),
            rights=_maybe(chance, chance.choice(RIGHTS), ""),
            thumbnail=_maybe(chance, chance.choice(NAMES), ""),
            members=tuple(_some(chance, _member, 0, 5)),
        )
        for _ in range(count)
    ]


def _member(chance: random.Random) -> Member:
    return Member(
        identifier=chance.choice(NAMES),
        label=chance.choice(TEXTS),
        is_collection=chance.random() < 0.3,
        image=_maybe(chance, chance.choice(NAMES), ""),
    )


def _object(chance: random.Random) -> PublishedObject:
    canvases = tuple(_some(chance, _canvas, 1, 7))
    return PublishedObject(
        identifier=chance.choice(NAMES),
        label=chance.choice(TEXTS),
        summary=_maybe(chance, chance.choice(TEXTS), {}),
        metadata=tuple(_some(chance, _statement, 0, 4)),
        rights=_maybe(chance, chance.choice(RIGHTS), ""),
        required_statement=_maybe(chance, _statement(chance), None),
        provider=tuple(_some(chance, _agent, 0, 1)),
        homepage=tuple(_some(chance, _page, 0, 1)),
        see_also=tuple(_some(chance, _data, 0, 2)),
        rendering=tuple(_some(chance, _page, 0, 1)),
        part_of=tuple(chance.sample(NAMES, chance.randint(0, 2))),
        nav_date=_maybe(chance, "1642-01-01T00:00:00Z", ""),
        thumbnail=_maybe(chance, chance.choice(NAMES), ""),
        behaviour=_maybe(chance, (chance.choice(LAYOUTS),), ()),
        canvases=canvases,
        viewing_direction=chance.choice(DIRECTIONS),
        ranges=tuple(_range(chance, len(canvases), 2) for _ in range(chance.randint(0, 2))),
    )


def _elsewhere(chance: random.Random) -> ImageElsewhere:
    version = chance.choice((0, 2))  # tripoli knows no later Image API
    return ImageElsewhere(
        address="https://other.example/iiif/1/full/600,/0/default.jpg",
        width=chance.randint(1, 9_000),
        height=chance.randint(1, 9_000),
        service="https://other.example/iiif/1" if version else "",
        version=version,
        profile="http://iiif.io/api/image/2/level2.json" if version else "",
    )


def _canvas(chance: random.Random) -> Canvas:
    elsewhere = _maybe(chance, _elsewhere(chance), None)
    return Canvas(
        image="" if elsewhere else chance.choice(NAMES),
        elsewhere=elsewhere,
        label=_maybe(chance, chance.choice(TEXTS), {}),
        alt_text=_maybe(chance, chance.choice(TEXTS), {}),
        description=_maybe(chance, chance.choice(TEXTS), {}),
        metadata=tuple(_some(chance, _statement, 0, 2)),
        behaviour=_maybe(chance, ("non-paged",), ()),
    )


def _range(chance: random.Random, canvases: int, depth: int) -> Range:
    deeper = chance.randint(0, 2) if depth else 0
    return Range(
        label=chance.choice(TEXTS),
        canvases=(chance.randrange(canvases),),
        ranges=tuple(_range(chance, canvases, depth - 1) for _ in range(deeper)),
    )


def _statement(chance: random.Random) -> Statement:
    return Statement(label={"en": ("Maker",)}, value=chance.choice(TEXTS))


def _agent(chance: random.Random) -> Agent:
    return Agent(
        address="https://museum.example/",
        label=chance.choice(TEXTS),
        homepage=_maybe(chance, _page(chance), None),
        logo=_maybe(chance, "https://museum.example/logo.png", ""),
    )


def _page(chance: random.Random) -> Link:
    return Link(
        address="https://museum.example/objects/1",
        label=chance.choice(TEXTS),
        format="text/html",
        language=_maybe(chance, "en", ""),
    )


def _data(chance: random.Random) -> Link:
    return Link(
        address="https://museum.example/data/1.xml",
        label=chance.choice(TEXTS),
        format="text/xml",
        type="Dataset",
        profile=_maybe(chance, "http://www.lido-schema.org", ""),
    )


def _some(
    chance: random.Random, make: Callable[[random.Random], T], least: int, most: int
) -> Sequence[T]:
    return [make(chance) for _ in range(chance.randint(least, most))]


def _maybe(chance: random.Random, value: T, empty: T) -> T:
    return value if chance.random() < 0.5 else empty
