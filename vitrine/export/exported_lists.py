"""The lists of an export, as they are read back."""

import csv
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from vitrine.access.rules import INHERITED, parse_rule, strictest
from vitrine.catalogue.records import ObjectRecord, TakenDown
from vitrine.errors import IdentifierRefused
from vitrine.export.bag import BagUnusable
from vitrine.export.written_lists import IDENTIFIERS, IMAGES, OBJECTS, REDIRECTS, TOMBSTONES
from vitrine.identify.stated_rules import with_collections
from vitrine.records import Gone, Removed

Line = TypeVar("Line")


class _Ruled(msgspec.Struct):
    """What the list of identifiers says about who may see an image, and why."""

    identifier: str
    owner: str = ""
    access: str = ""
    collections: tuple[str, ...] = ()
    kept: dict[str, str] = {}
    rules: dict[str, str] = {}
    """Rules that it has from collections, and those that it kept."""
    target: str = ""
    """Identifier that a redirect leads to."""
    previous_targets: tuple[str, ...] = ()

    def as_record(self, listed: Container[str]) -> Removed | None:
        """Return a record with the same rule, which may be `open`; None if it never had any.

        `listed` are the collections that come with the export. What cannot be read closes.
        """
        rules = self.kept | {name: one for name, one in self.rules.items() if name not in listed}
        kept = {name: readable_rule(rule) for name, rule in rules.items()}
        follows = self.access in ("", INHERITED)
        if follows and not (self.collections or strictest(kept.values())):
            return None
        return with_collections(
            Removed(
                identifier=self.identifier,
                changed_at="",
                owner=self.owner,
                access=INHERITED if follows else readable_rule(self.access),
                previous_targets=self.previous_targets,
            ),
            self.collections,
            kept,
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
        that cannot be read closes. Raises BagUnusable.
        """
        # What was withdrawn lists nothing by which its rule could come back.
        listed = {one.identifier for one in self.objects() if not isinstance(one, TakenDown)}
        for one in self._read_identifiers():
            if bool(one.target) == of_redirects and (saved := one.as_record(listed)):
                yield saved

    def memberships(self) -> Iterator[tuple[str, set[str]]]:
        """Yield identifiers with those of their collections that come with the export.

        Raises BagUnusable.
        """
        listed = {one.identifier for one in self.objects()}
        for one in self._read_identifiers():
            if names := listed.intersection(one.collections):
                yield one.identifier, names

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


def readable_rule(rule: str) -> str:
    """Return a rule of an export; what cannot be read closes."""
    try:
        return parse_rule(rule)
    except IdentifierRefused:
        return "closed"
