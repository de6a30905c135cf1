"""The rules that images of an export have from its collections, found by what these list.

Records of images say it, too, but not of those that had yet to follow when the export was made.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from vitrine.access.rules import OPEN, parse_rule, read_rule
from vitrine.catalogue.records import Described, ObjectRecord, Renamed, rule_of, used_images
from vitrine.errors import IdentifierRefused
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject

Rules = dict[str, str]
"""Rules by collection."""


class _Collection(NamedTuple):
    rule: str
    members: tuple[str, ...]
    images: set[str]
    """Its thumbnail, and those by which it shows its members."""


class _Collections:
    """The collections of an export, and previous identifiers."""

    def __init__(self, records: Iterable[ObjectRecord]) -> None:
        self._targets: dict[str, str] = {}
        self.known: dict[str, _Collection] = {}
        for record in records:
            match record:
                case Renamed(identifier=name, target=target):
                    self._targets[name] = target
                case Described(identifier=name, item=ObjectCollection(access=access) as item):
                    rule, members = access and readable_rule(access), item.members
                    listed = tuple(member.identifier for member in members)
                    self.known[name] = _Collection(rule, listed, used_images(record))

    def follow(self, name: str) -> str:
        """Return the identifier that an object or collection has now."""
        return follow_targets(name, self._targets)

    def rules(self) -> dict[str, Rules]:
        """Return the rules that collections and all that is in them have, by identifier."""
        held = defaultdict[str, Rules](dict)
        for name, collection in self.known.items():
            if read_rule(collection.rule) != OPEN:
                for member in self._below(name):
                    held[member][name] = collection.rule
        return held

    def _below(self, name: str) -> set[str]:
        """Return the identifiers of a collection, of those in it, and of all their members."""
        entered, waiting = {name}, [name]
        while waiting:
            collection = self.known.get(waiting.pop())
            new = set(map(self.follow, collection.members)) - entered if collection else set()
            entered |= new
            waiting += new
        return entered


def find_rules(
    read_objects: Callable[[], Iterable[ObjectRecord]],
    read_redirects: Callable[[], Iterable[tuple[str, str]]],
) -> dict[str, Rules]:
    """Return the rules by image. The lists are read more than once, to keep little of them."""
    if all(read_rule(rule_of(record)) == OPEN for record in read_objects()):
        return {}
    collections = _Collections(read_objects())
    held, found = collections.rules(), defaultdict[str, Rules](dict)
    for name in held.keys() & collections.known.keys():
        for image in collections.known[name].images:
            found[image] |= held[name]
    # What has no record is an image by itself.
    images = held.keys() - collections.known.keys()
    for record in read_objects():
        images.discard(record.identifier)
        match record:
            case Described(identifier=name, item=PublishedObject(part_of=part_of)):
                for holder in held.keys() & {name, *map(collections.follow, part_of)}:
                    for image in used_images(record):
                        found[image] |= held[holder]
    for name in images:
        found[name] |= held[name]
    return _follow_redirects(found, read_redirects)


def _follow_redirects(
    rules: Mapping[str, Rules], read_redirects: Callable[[], Iterable[tuple[str, str]]]
) -> dict[str, Rules]:
    """Return them by the image that each identifier leads to."""
    targets, waiting = dict[str, str](), set(rules)
    while waiting:
        found = {old: new for old, new in read_redirects() if old in waiting}
        targets |= found
        waiting = set(found.values()) - targets.keys()
    followed = defaultdict[str, Rules](dict)
    for image, held in rules.items():
        followed[follow_targets(image, targets)] |= held
    return followed


def follow_targets(name: str, targets: Mapping[str, str]) -> str:
    """Return the end of the redirects that begin at an identifier; a circle ends at any of them."""
    passed = {name}
    while (following := targets.get(name)) and following not in passed:
        name = following
        passed.add(name)
    return name


def readable_rule(rule: str) -> str:
    """Return a rule of an export; what cannot be read closes."""
    try:
        return parse_rule(rule)
    except IdentifierRefused:
        return "closed"
