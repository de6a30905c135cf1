"""Taking images over from another owner, as somebody asks by their identifiers."""

from collections.abc import Collection
from dataclasses import replace

from vitrine.identify.identifier import parse_identifier
from vitrine.identify.register import Edit, Register
from vitrine.records import Record


def take_over_images(register: Register, owner: str, names: Collection[str]) -> None:
    """Let a collection own these identifiers, whoever did; those without a record stay so.

    An image shows what it did until the collection publishes a master of its own. Raises
    IdentifierRefused with code `identifier-invalid`, TransientError.
    """
    for name in map(parse_identifier, names):
        register.change(name, take_over(owner))


def take_over(owner: str) -> Edit:
    """Let a collection own an identifier, whoever did; leave one without a record as it is."""

    def edit(current: Record | None) -> Record | None:
        if current is None or current.owner == owner:
            return None
        return replace(current, owner=owner)

    return edit
