"""What a caller may change: what belongs to the collections of their department (docs/adr/0042)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vitrine.api.problems import Problem
from vitrine.catalogue.records import ObjectRecord
from vitrine.records import Record, Removed
from vitrine.settings.departments import ALL_COLLECTIONS, Department
from vitrine.store.layout import collection_folder

_SESSION = re.compile(r"arn:([^:]+):sts::([0-9]+):assumed-role/([^/]+)/.+")
_ROLE = re.compile(r"arn:([^:]+):iam::([0-9]+):role/(?:.+/)?([^/]+)")


@dataclass(frozen=True, kw_only=True)
class CallerRights:
    """What one caller may change."""

    collections: tuple[str, ...] = ()
    """Collections that the caller may change with all that belongs to them; new identifiers are
    free."""
    of_others: frozenset[str] = frozenset()
    """Collections of other departments, whether they are published yet or not."""
    has_all: bool = False
    """True: everything, also what belongs to no collection."""

    def only(self, collection: str) -> "CallerRights":
        """Return the rights to change what belongs to one collection of the caller's alone.

        Raises Problem with code `collection-forbidden`.
        """
        if not (self.has_all or collection in self.collections):
            raise Problem(
                "collection-forbidden",
                f'"{collection}" is no collection of yours: {self._describe_rights()}.',
            )
        others = {*self.of_others, *self.collections} - {collection, ALL_COLLECTIONS}
        return CallerRights(collections=(collection,), of_others=frozenset(others))

    @property
    def home(self) -> str:
        """Collection that new identifiers belong to; "" for none."""
        return self.collections[0] if self.collections and not self.has_all else ""

    def check(self, identifier: str, record: Record | ObjectRecord | None) -> None:
        """Raise Problem with code `collection-forbidden` if the caller may not change a record."""
        if self.has_all:
            return
        owner = record.owner if record else ""
        is_unused = record is None or (isinstance(record, Removed) and not owner)
        if owner not in self.collections and not (is_unused and self.collections):
            raise self._make_problem(identifier, owner, is_unused=is_unused)

    def check_object(self, identifier: str, record: ObjectRecord | None) -> None:
        """Raise Problem as `check` does, also for another department's collection to come."""
        if record is None and identifier in self.of_others and not self.has_all:
            raise self._make_problem(identifier, identifier)
        self.check(identifier, record)

    def check_master(self, key: str) -> str:
        """Return the collection whose master has this key; "" if the caller may have any key.

        Raises Problem with code `collection-forbidden`.
        """
        if self.has_all:
            return ""
        for collection in self.collections:
            if key.startswith(collection_folder(collection)):
                return collection
        folders = ", ".join(f'"{collection_folder(one)}"' for one in self.collections)
        may = f"the keys of your masters begin with {folders}" if folders else _NO_DEPARTMENT
        raise Problem("collection-forbidden", f'The key is "{key}", and {may}.')

    def check_all(self, what: str) -> None:
        """Raise Problem with code `collection-forbidden` for what belongs to no collection."""
        if not self.has_all:
            raise Problem(
                "collection-forbidden", f"{what} no collection, and {self._describe_rights()}."
            )

    def owner_of_object(self, identifier: str, record: ObjectRecord | None) -> str | None:
        """Return the collection on whose behalf an object is put; None: a person's own."""
        if self.has_all:
            return None
        if record:
            return record.owner
        return identifier if identifier in self.collections else self.home

    def _make_problem(self, identifier: str, owner: str, *, is_unused: bool = False) -> Problem:
        whose = f'belongs to the collection "{owner}"' if owner else "belongs to no collection"
        whose = "is not in use" if is_unused else whose
        return Problem(
            "collection-forbidden", f'"{identifier}" {whose}, and {self._describe_rights()}.'
        )

    def _describe_rights(self) -> str:
        if not self.collections:
            return _NO_DEPARTMENT
        names = ", ".join(f'"{one}"' for one in self.collections)
        return f"you may change what belongs to {names}"


_NO_DEPARTMENT = "you are a member of no department"


def rights_of(
    departments: Mapping[str, Department], caller: str, scopes: Iterable[str] = ()
) -> CallerRights:
    """Return what a caller may change; without departments, everything.

    A session of a role is the role's, and the path of a role does not count: the gateway does not
    pass it on.
    """
    if not departments:
        return CallerRights(has_all=True)
    names = {_role_arn(caller), *scopes}
    own = [
        collection
        for one in departments.values()
        if names.intersection(map(_role_arn, one.members))
        for collection in one.collections
    ]
    everyones = {one for department in departments.values() for one in department.collections}
    return CallerRights(
        collections=tuple(dict.fromkeys(own)),
        of_others=frozenset(everyones.difference(own, {ALL_COLLECTIONS})),
        has_all=ALL_COLLECTIONS in own,
    )


def _role_arn(name: str) -> str:
    """Return the ARN of a role for those of its sessions, without the role's path."""
    found = _SESSION.fullmatch(name) or _ROLE.fullmatch(name)
    return f"arn:{found[1]}:iam::{found[2]}:role/{found[3]}" if found else name
