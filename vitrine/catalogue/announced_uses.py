"""Images are noted as those of their objects and collections before they are published.

The home page lists images that no object shows, and the rule of a collection holds from the first
moment. The images of a table are all published before its first object is, which may be hours
later.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from vitrine.catalogue.publisher import Publisher
from vitrine.records import Live

BATCH = 500
"""Images that are looked up and noted together."""


@dataclass
class AnnouncedUses:
    """Notes which objects will show images, of those images that are not published yet."""

    publisher: Publisher
    _waiting: dict[str, str] = field(default_factory=dict)
    """Objects by the images that are not looked up yet."""
    _collections: dict[str, set[str]] = field(default_factory=dict)
    """Collections by image."""

    def add(self, object_: str, images: Collection[str], collections: Collection[str]) -> None:
        """Note the images of an object in collections, with those of others.

        Raises TransientError.
        """
        for image in images:
            self._waiting.setdefault(image, object_)
            self._collections.setdefault(image, set()).update(collections)
        if len(self._waiting) >= BATCH:
            self.finish()

    def finish(self) -> None:
        """Note what was added and is not noted yet. Raises TransientError."""
        known = self.publisher.identifiers.get_many(self._waiting.keys())
        self.publisher.catalogue.announce_uses(
            {
                image: object_
                for image, object_ in self._waiting.items()
                if not isinstance(known.get(image), Live)
            }
        )
        self.publisher.memberships.join(self._collections)
        self._waiting.clear()
        self._collections.clear()
