"""The collections in a harvested collection, as collections of ours."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vitrine.errors import IdentifierRefused
from vitrine.iiif.presentation.model import Member, ObjectCollection, Texts
from vitrine.sources.harvest.kept_folder import file_name, read_state
from vitrine.sources.iiif.manifest_folder import COLLECTIONS, MANIFESTS, SUFFIX
from vitrine.sources.iiif.names import object_identifier

TOP = 0
"""Place of the collection that was harvested, in the list of all."""


class Nesting:
    """What the collections of a harvest list."""

    def __init__(self, folder: Path, identifier: str) -> None:
        """Read it from a folder of manifests; `identifier` is that of the whole collection here.

        Raises NotHarvested.
        """
        state = read_state(folder)
        self._collections: list[dict[str, Any]] = state.get(COLLECTIONS, [])
        self._files: list[str] = state.get(MANIFESTS, [])
        self._known = {str(one["address"]): one for one in self._collections}
        self._names: dict[str, str] = {}
        for place, one in enumerate(self._collections):
            self._names[one["address"]] = identifier if place == TOP else _name(one["address"])

    def build(self, members: Mapping[str, Member]) -> Iterator[ObjectCollection]:
        """Yield the collections below the whole one, then that.

        `members` has the published objects by the names of their manifests' files. A collection
        that would be called as an object or as another collection is left out with its name, and
        its members stand in its place; so does one in which nothing is published.
        """
        if not self._collections:
            return
        taken = {member.identifier for member in members.values()} | {self._names[self._top]}
        yield from self._build(self._collections[TOP], members, taken, {self._top})

    def find_outer(self) -> dict[str, set[str]]:
        """Return the collections below the whole one that each manifest will be in, however deep.

        By the names of the manifests' files.
        """
        members = {file: Member(identifier=file, label={}) for file in self._files}
        found: dict[str, set[str]] = {file: set() for file in members}
        above: dict[str, set[str]] = {}
        # The whole one comes first; each other one after the one that lists it.
        for collection in list(self.build(members))[-2::-1]:
            outer = above.get(collection.identifier, set()) | {collection.identifier}
            for member in collection.members:
                if member.is_collection:
                    above[member.identifier] = outer
                else:
                    found[member.identifier] |= outer
        return found

    @property
    def _top(self) -> str:
        return str(self._collections[TOP]["address"])

    def _build(
        self,
        collection: dict[str, Any],
        members: Mapping[str, Member],
        taken: set[str],
        entered: set[str],
    ) -> Iterator[ObjectCollection]:
        """Yield the collections in a collection, and last itself if it has any member."""
        listed: dict[str, Member] = {}
        for one in collection["members"]:
            address = one["address"]
            if not one["is_collection"]:
                if member := members.get(file_name(address, SUFFIX)):
                    listed.setdefault(member.identifier, member)
                continue
            if address in entered or address not in self._known:
                continue
            entered.add(address)
            inner = list(self._build(self._known[address], members, taken, entered))
            if not inner:
                continue
            yield from inner[:-1]
            last = inner[-1]
            if not last.identifier or last.identifier in taken:
                listed |= {member.identifier: member for member in last.members}
                continue
            taken.add(last.identifier)
            yield last
            image = next((member.image for member in last.members if member.image), "")
            listed[last.identifier] = Member(
                identifier=last.identifier, label=last.label, is_collection=True, image=image
            )
        if listed:
            name = self._names[collection["address"]]
            label: Texts = {
                language: tuple(texts) for language, texts in collection["label"].items()
            }
            yield ObjectCollection(
                identifier=name, label=label or {"none": (name,)}, members=tuple(listed.values())
            )


def _name(address: str) -> str:
    """Return the identifier of a collection, "" if none can be made."""
    try:
        return object_identifier(address)
    except IdentifierRefused:
        return ""
