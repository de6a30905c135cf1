"""Reading an export back: rules of access, then, after the images, which go through ingest,
tombstones, objects and collections."""

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

import msgspec

from vitrine.access.rules import OPEN, combine_rules, parse_rule, read_rule
from vitrine.errors import IdentifierRefused, ObjectRefused
from vitrine.export.bag import BagUnusable
from vitrine.export.scan import IDENTIFIERS, IMAGES, OBJECTS, REDIRECTS, TOMBSTONES
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.register import Change, Register
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject
from vitrine.ingest.publish.curation import Curation
from vitrine.present.objects import changes
from vitrine.present.objects.objects import Objects
from vitrine.present.objects.records import (
    Described,
    Item,
    ObjectRecord,
    Renamed,
    TakenDown,
    rule_of,
)
from vitrine.present.objects.register import Edit
from vitrine.records import Gone, Record, Removed


class _Ruled(msgspec.Struct):
    """What the list of identifiers says of who may see an image, and why."""

    identifier: str
    access: str = ""
    inherits: bool = False
    inherited: dict[str, str] = {}

    def as_record(self) -> Removed | None:
        """Return a record with the same rule, be it `open`; None if nothing was said.

        What cannot be read closes. A rule is the identifier's own if it does not follow from those
        of collections that are named.
        """
        rules = {name: _readable(rule) for name, rule in self.inherited.items()}
        access, follows = _readable(self.access), reduce(combine_rules, rules.values(), "")
        if self.inherits:
            access = combine_rules(access, follows)
        if not self.access or (self.inherits and read_rule(access) == OPEN):
            return None
        return Removed(
            identifier=self.identifier,
            changed_at="",
            access=access,
            inherits=self.inherits and access == follows,
            inherited=tuple(sorted(rules.items())),
        )


_decoder = msgspec.json.Decoder(ObjectRecord)
_ruled_decoder = msgspec.json.Decoder(_Ruled)


@dataclass
class ReadBack:
    """What became of the records of an export."""

    counts: Counter[str] = field(default_factory=Counter)
    """`rules`, `tombstones`, `objects` and `unchanged`."""
    refused: list[str] = field(default_factory=list)
    """Sentences about records that could not be read back."""


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

    def rules(self) -> Iterator[Removed]:
        """Yield the identifiers with a rule, be it `open`, each as a record with nothing else.

        Names that wait for their image are among them. A rule that cannot be read closes. Raises
        BagUnusable.
        """
        with (self.folder / "data" / IDENTIFIERS).open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    saved = _ruled_decoder.decode(line).as_record()
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise BagUnusable(f"data/{IDENTIFIERS}, line {number}: {error}.") from error
                if saved:
                    yield saved

    def tombstones(self) -> Iterator[Gone]:
        """Yield the tombstones of images."""
        with (self.folder / "data" / TOMBSTONES).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield Gone(
                    identifier=row["identifier"],
                    reason=row["reason"],
                    changed_at=row["since"],
                    by_curator=row["by_curator"] == "yes",
                )

    def objects(self) -> Iterator[ObjectRecord]:
        """Yield the records of objects and collections. Raises msgspec.ValidationError."""
        with (self.folder / "data" / OBJECTS).open("rb") as file:
            yield from map(_decoder.decode, file)


def restore_rules(
    curation: Curation, lists: ExportedLists, result: ReadBack, on_progress: Callable[[int], None]
) -> None:
    """Set the rules of access: before any image is there, so that none is public for a moment.

    An image has its own again, be it `open`, or those of its collections. Where there is a rule,
    both hold: nobody sees more than before. Raises BagUnusable, TransientError.
    """

    def restore(saved: Record) -> Change | str:
        try:
            return curation.restore_rule(saved)
        except IdentifierRefused as error:
            return str(error)

    with Workers() as workers:
        for number, done in enumerate(workers.map(restore, lists.rules()), start=1):
            if isinstance(done, str):
                result.refused.append(done)
            else:
                result.counts["rules" if done.made else "unchanged"] += 1
            on_progress(number)


def _readable(rule: str) -> str:
    try:
        return parse_rule(rule)
    except IdentifierRefused:
        return "closed"


def restore_tombstones(
    register: Register, lists: ExportedLists, result: ReadBack, on_progress: Callable[[int], None]
) -> None:
    """Write the tombstones where there is nothing. Raises TransientError."""
    for number, tombstone in enumerate(lists.tombstones(), start=1):
        change = register.change(tombstone.identifier, _where_nothing_is(tombstone))
        result.counts["tombstones"] += change.made
        result.counts["unchanged"] += not change.made
        on_progress(number)


def restore_objects(
    objects: Objects, lists: ExportedLists, result: ReadBack, on_progress: Callable[[int], None]
) -> None:
    """Publish objects and collections, redirects and tombstones of theirs. Raises TransientError.

    The images should be there: what shows one that is not, is published without it.
    """
    for number, record in enumerate(_targets_first(lists.objects()), start=1):
        try:
            changed = _restore(objects, record)
        except ObjectRefused as error:
            result.refused.append(" ".join((str(error), *error.faults)))
        else:
            result.counts["objects" if changed else "unchanged"] += 1
        on_progress(number)


def _targets_first(records: Iterable[ObjectRecord]) -> Iterator[ObjectRecord]:
    """Yield the records, and after all others the redirects, each after what it leads to."""
    redirects: dict[str, Renamed] = {}
    for record in records:
        if isinstance(record, Renamed):
            redirects[record.identifier] = record
        else:
            yield record
    while redirects:
        chain = [redirects.popitem()[1]]
        while following := redirects.pop(chain[-1].target, None):
            chain.append(following)
        yield from reversed(chain)


def _restore(objects: Objects, record: ObjectRecord) -> bool:
    match record:
        case Described(identifier=name, item=item, access=rule):
            changed = objects.put(_restrict(item, objects), keeps_closed=True).changed
            return objects.change(name, _remember(rule)).changed or changed if rule else changed
        case Renamed(identifier=old):
            return objects.change(old, _redirect(record, objects)).changed
        case TakenDown(identifier=name):
            return objects.change(name, _take_down(record)).changed


def _restrict(item: Item, objects: Objects) -> Item:
    """Return a collection under the rule that its identifier has, too: nobody sees more of it."""
    match item:
        case ObjectCollection(access=access) if access:
            rule = rule_of(objects.publisher.journal.latest(item.identifier))
            return msgspec.structs.replace(item, access=combine_rules(access, rule))
    return item


def _remember(rule: str) -> Edit:
    """Return the edit that gives an object the rule that it had as a collection."""

    def edit(current: ObjectRecord | None) -> ObjectRecord | None:
        match current:
            case Described(item=PublishedObject(), access=""):
                return msgspec.structs.replace(current, access=rule)
        return None

    return edit


def _redirect(saved: Renamed, objects: Objects) -> Edit:
    """Return the edit that makes a redirect where there is nothing.

    A collection here may have a rule, and what redirects has none: so it replaces nothing. Refused,
    too, if it would lead to nothing or back.
    """
    old, new = saved.identifier, saved.target

    def edit(current: ObjectRecord | None) -> ObjectRecord | None:
        if isinstance(current, Renamed) and current.target == new:
            return None
        if current is not None:
            raise ObjectRefused(
                "identifier-taken",
                f'"{old}" redirects to "{new}" in the export, but is in use here: it stays as it '
                "is. Compare the two, and withdraw what nobody should see.",
            )
        if not _leads_to_object(new, objects):
            raise ObjectRefused(
                "no-object",
                f'"{old}" redirects to "{new}" in the export, where no object is here: it was not '
                "published. Import that object first.",
            )
        return msgspec.structs.replace(saved, revision=0)

    return edit


def _leads_to_object(identifier: str, objects: Objects) -> bool:
    """Return True if an identifier is, or redirects to, an object, be it a withdrawn one."""
    passed: set[str] = set()
    while identifier not in passed:
        passed.add(identifier)
        match objects.publisher.journal.latest(identifier):
            case Renamed(target=target):
                identifier = target
            case found:
                return found is not None
    return False


def _take_down(tombstone: TakenDown) -> Edit:
    """Return the edit that makes a tombstone, also where there never was an object."""
    withdraw = changes.withdraw(tombstone.identifier, tombstone.reason, tombstone.changed_at)

    def edit(current: ObjectRecord | None) -> ObjectRecord | None:
        if current is None:
            return msgspec.structs.replace(tombstone, revision=0)
        return withdraw(current)

    return edit


def _where_nothing_is(tombstone: Gone) -> Callable[[Record | None], Record | None]:
    def edit(current: Record | None) -> Record | None:
        return tombstone if current is None or isinstance(current, Removed) else None

    return edit
