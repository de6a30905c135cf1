"""The lists of an export, as they are read back."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TypeVar

import msgspec

from vitrine.access.rules import OPEN, combine_rules, read_rule
from vitrine.catalogue.records import ObjectRecord
from vitrine.export.bag import BagUnusable
from vitrine.export.collection_rules import find_rules, readable_rule
from vitrine.export.written_lists import IDENTIFIERS, IMAGES, OBJECTS, REDIRECTS, TOMBSTONES
from vitrine.records import Gone, Removed

Line = TypeVar("Line")


class _Ruled(msgspec.Struct):
    """What the list of identifiers says about who may see an image, and why."""

    identifier: str
    owner: str = ""
    access: str = ""
    inherits: bool = False
    inherited: dict[str, str] = {}
    target: str = ""
    """Identifier that a redirect leads to."""

    def as_record(self, within: Mapping[str, str]) -> Removed | None:
        """Return a record with the same rule, which may be `open`; None if no rule was set.

        `within` has the rules of the collections that list it. What cannot be read closes. A rule
        is the identifier's own if it does not follow from those of collections that are named.
        """
        rules = {name: readable_rule(rule) for name, rule in self.inherited.items()}
        for name, rule in within.items():
            rules[name] = combine_rules(rules.get(name, ""), rule)
        access = self.access and readable_rule(self.access)
        follows = reduce(combine_rules, rules.values(), "")
        inherits = self.inherits or not access
        if inherits:
            access = combine_rules(access, follows)
        if inherits and read_rule(access) == OPEN:
            return None
        return Removed(
            identifier=self.identifier,
            changed_at="",
            owner=self.owner,
            access=access,
            inherits=inherits and access == follows,
            inherited=tuple(sorted(rules.items())),
        )


_decoder: msgspec.json.Decoder[ObjectRecord] = msgspec.json.Decoder(ObjectRecord)
_ruled_decoder = msgspec.json.Decoder(_Ruled)


@dataclass(frozen=True)
class ExportedLists:
    """The lists of an export in `folder`."""

    folder: Path

    @property
    def images(self) -> Path:
        """The images with their files, a manifest for `vitrine masters migrate`."""
        return self.folder / "data" / IMAGES

    @property
    def redirects(self) -> Path:
        """The redirects of images, for `vitrine redirects import`."""
        return self.folder / "data" / REDIRECTS

    def rules(self, *, of_redirects: bool = False) -> Iterator[Removed]:
        """Yield the identifiers with a rule, `open` included, each as a record with nothing else.

        Those that redirect, or all others; names that wait for their image are among these. A rule
        that cannot be read closes, and collections may have one that had not come to their images
        yet. Raises BagUnusable.
        """
        within = {} if of_redirects else find_rules(self.objects, self._read_redirects)
        for one in self._read_identifiers():
            if bool(one.target) == of_redirects:
                saved = one.as_record(within.get(one.identifier, {}))
                if saved:
                    yield saved

    def _read_redirects(self) -> Iterator[tuple[str, str]]:
        for one in self._read_identifiers():
            if one.target:
                yield one.identifier, one.target

    def _read_identifiers(self) -> Iterator[_Ruled]:
        return self._read_lines(IDENTIFIERS, _ruled_decoder)

    def _read_lines(self, name: str, decoder: msgspec.json.Decoder[Line]) -> Iterator[Line]:
        with (self.folder / "data" / name).open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise BagUnusable(f"data/{name}, line {number}: {error}.") from error

    def tombstones(self) -> Iterator[Gone]:
        """Yield the tombstones of images."""
        with (self.folder / "data" / TOMBSTONES).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield Gone(
                    identifier=row["identifier"],
                    reason=row["reason"],
                    changed_at=row["since"],
                    by_curator=row["by_curator"] == "yes",
                    owner=row["owner"],
                )

    def objects(self) -> Iterator[ObjectRecord]:
        """Yield the records of objects and collections. Raises BagUnusable."""
        return self._read_lines(OBJECTS, _decoder)
