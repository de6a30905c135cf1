"""A museum of three objects of an image each, in collections whose rules follow one by one."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.unit.catalogue.rules_museum import Museum

OBJECTS = ["book", "letter", "map"]
IMAGES = ["one", "two", "three"]


@contextmanager
def run_museum() -> Iterator[Museum]:
    """Yield the museum."""
    museum = Museum()
    for name, image in zip(OBJECTS, IMAGES, strict=True):
        museum.put_object(name, [image])
    yield museum


def put(museum: Museum, rule: str, members: list[str] = OBJECTS, name: str = "shelf") -> None:
    """Put a collection of these members under a rule."""
    museum.put_collection(name, members, rule)


def settle(museum: Museum) -> list[str]:
    """Do what is announced; return the rules of the images."""
    museum.deliver_some(7, everything=True)
    return [museum.access(image) for image in IMAGES]
