"""Departments of an institution: whose people publish which collections (docs/adr/0042)."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

ALL_COLLECTIONS = "*"
"""Collections of a department that may change everything, including what belongs to none."""


@dataclass(frozen=True, kw_only=True)
class Department:
    """Some people, and what they may change."""

    collections: tuple[str, ...]
    """Identifiers of collections, whether they are published yet or not; what the department
    publishes by the API belongs to the first one. `*`: everything."""
    members: tuple[str, ...] = ()
    """Callers of the API: ARNs of roles and users, or scopes of tokens."""


def encode_departments(departments: Mapping[str, Department]) -> str:
    """Return departments, by their names, as one setting; "" for none."""
    if not departments:
        return ""
    document = {name: asdict(one) for name, one in departments.items()}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def decode_departments(text: str) -> dict[str, Department]:
    """Return what `encode_departments` was given."""
    return {
        name: Department(
            collections=tuple(one["collections"]), members=tuple(one.get("members", ()))
        )
        for name, one in json.loads(text or "{}").items()
    }
