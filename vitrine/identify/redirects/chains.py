"""Chains of redirects, as readers follow them."""

from collections.abc import Callable

from vitrine.errors import IdentifierRefused
from vitrine.records import Record, Redirect


def follow_chain(
    get: Callable[[str], Record | None], identifier: str, *, away_from: str
) -> tuple[str, Record | None]:
    """Return the identifier at the end of a chain, and its record; `get` reads records.

    Raises IdentifierRefused with code `loop` if the chain has no end, or passes `away_from`.
    """
    passed: dict[str, None] = {away_from: None}
    while identifier not in passed:
        record = get(identifier)
        if not isinstance(record, Redirect):
            return identifier, record
        passed[identifier] = None
        identifier = record.target
    raise _loop_error([*passed, identifier])


def _loop_error(passed: list[str]) -> IdentifierRefused:
    path = " to ".join(f'"{identifier}"' for identifier in passed)
    return IdentifierRefused(
        "loop",
        f"The redirects would lead in a circle: {path}. Choose another target, or first remove one "
        "of them: vitrine redirects remove ID",
    )
