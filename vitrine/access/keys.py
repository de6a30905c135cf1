"""The keys that sign tickets: one signs, and those that did before still verify."""

import json
import secrets
from dataclasses import dataclass, field
from typing import Self

KEPT = 2
"""Keys that verify: the one that signs, and the one before it."""
SECRET_BYTES = 32


@dataclass(frozen=True)
class Keys:
    """Secrets by the id of their key, newest last; the newest signs."""

    secrets: dict[str, str] = field(repr=False)

    @classmethod
    def create(cls) -> Self:
        """Return one new key."""
        return cls({}).rotate()

    @property
    def current(self) -> str:
        """The id of the key that signs. Raises LookupError without keys."""
        return next(reversed(self.secrets))

    def rotate(self) -> Self:
        """Return the keys with a new one that signs; the oldest verifies no longer."""
        kept = list(self.secrets.items())[1 - KEPT :]
        return type(self)({**dict(kept), secrets.token_hex(4): secrets.token_urlsafe(SECRET_BYTES)})

    def to_json(self) -> str:
        """Return the text that `from_json` reads back."""
        return json.dumps([[name, secret] for name, secret in self.secrets.items()])

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the keys. Raises ValueError for any other text."""
        try:
            return cls({str(name): str(secret) for name, secret in json.loads(text)})
        except TypeError as error:
            raise ValueError(f"the keys of tickets cannot be read: {error}") from None
