"""The rules of access of all collections, and which is in which: one small table.

An image's record names the collections that show it. What their rules demand together is combined
where somebody asks, so that a rule is written in one place, however many images it covers
(docs/adr/0043).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from vitrine.access.rules import CLOSED, OPEN, read_rule


class CollectionRule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the table says of one collection, or of its previous identifier."""

    rule: str = ""
    """Its own rule; empty: none."""
    owner: str = ""
    """It rules images of this owner only, and those of nobody; empty: all."""
    within: tuple[str, ...] = ()
    """The collections that list it."""
    target: str = ""
    """The identifier that it has now, if this is a previous one."""
    since: int = 0
    """Version of the table in which its rule last became one that share links show, or ended to be
    one; 0: never."""
    revision: int = 0
    """Revision of the collection's record that this is from."""
    has_untagged: bool = False
    """True if the edge may have answers of its images without the collection's tag."""


NOTHING = CollectionRule()


class _Stored(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    collections: dict[str, CollectionRule]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Stored)


@dataclass(frozen=True)
class CollectionRules:
    """One version of the table; what follows from nesting is found once."""

    version: int = 0
    collections: Mapping[str, CollectionRule] = field(default_factory=dict)
    etag: str = field(default="", compare=False)
    """ETag of the stored object; empty: it was not stored."""
    _around: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    def get(self, name: str) -> CollectionRule:
        """Return what is said of a collection, perhaps nothing."""
        return self.collections.get(name, NOTHING)

    def around(self, name: str) -> tuple[str, ...]:
        """Return a collection, and all that it is in, however deep, in alphabetical order."""
        known = self._around.get(name)
        if known is None:
            known = self._around[name] = tuple(sorted(self._walk(name)))
        return known

    def around_all(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the same for several, each once."""
        return tuple(sorted({outer for name in names for outer in self.around(name)}))

    def rules_over(self, names: Iterable[str], owner: str) -> dict[str, str]:
        """Return the rules that an image of this owner has from these collections and outer ones.

        A collection of another owner has no say.
        """
        found = {}
        for name in self.around_all(names):
            one = self.get(name)
            if one.rule and (not owner or one.owner in ("", owner)):
                found[name] = one.rule
        return found

    def present(self, name: str) -> str:
        """Return the identifier that a collection has now."""
        passed = {name}
        while (target := self.get(name).target) and target not in passed:
            name = target
            passed.add(name)
        return name

    def links_from(self, names: Iterable[str]) -> int:
        """Return the version in which restrictions by these collections last began or ended."""
        return max((self.get(name).since for name in self.around_all(names)), default=0)

    def replace(self, changed: Mapping[str, CollectionRule]) -> "CollectionRules":
        """Return the next version, in which these collections are as given; the same if they are.

        Collections of which nothing is said any more are left out.
        """
        version, collections = self.version + 1, dict(self.collections)
        for name, one in changed.items():
            before = self.get(name)
            if _is_shareable(before.rule) != _is_shareable(one.rule):
                one = msgspec.structs.replace(one, since=version)
            collections[name] = one
            if one == NOTHING:
                del collections[name]
        if collections == self.collections:
            return self
        return CollectionRules(version, collections)

    def encode(self) -> bytes:
        """Return it as it is stored."""
        return _encoder.encode(
            _Stored(version=self.version, collections=dict(sorted(self.collections.items())))
        )

    def _walk(self, name: str) -> set[str]:
        found, waiting = {name}, [name]
        while waiting:
            one = self.get(waiting.pop())
            new = {*one.within, *([one.target] if one.target else ())} - found
            found |= new
            waiting += new
        return found


def decode_collection_rules(body: bytes, etag: str = "") -> CollectionRules:
    """Return the table. Raises msgspec.DecodeError."""
    stored = _decoder.decode(body)
    return CollectionRules(stored.version, stored.collections, etag)


def _is_shareable(rule: str) -> bool:
    return read_rule(rule) not in (OPEN, CLOSED)
