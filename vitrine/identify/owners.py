"""Owners of images: an image belongs to the collection that published it first.

The masters of a collection lie below its identifier in the bucket of masters. So the owner of a
master follows from its key and from a note in the bucket of records that this collection exists:
nothing that travels with a master, such as the object's metadata, can say otherwise
(docs/adr/0040).
"""

from dataclasses import replace
from urllib.parse import unquote

from vitrine.errors import ObjectMissing
from vitrine.identify.register import Edit
from vitrine.ports import ObjectStore
from vitrine.records import Live, Record
from vitrine.store.layout import PHOTOS, collection_folder, owner_key


def note_owner(records: ObjectStore, collection: str) -> None:
    """Note that a collection exists, so that it owns the masters below its identifier.

    Raises TransientError.
    """
    key = owner_key(collection)
    try:
        records.head(key)
    except ObjectMissing:
        records.put(key, b"", content_type="application/octet-stream")


def owner_of_master(records: ObjectStore, master_key: str) -> str:
    """Return the collection that owns a master, "" if none does. Raises TransientError."""
    folder, slash, _ = master_key.partition("/")
    owner = unquote(folder)
    if (
        not owner
        or not slash
        or master_key.startswith(PHOTOS)
        or collection_folder(owner) != f"{folder}/"
    ):
        return ""
    try:
        records.head(owner_key(owner))
    except ObjectMissing:
        return ""
    return owner


def has_other_owner(record: Record | None, owner: str) -> bool:
    """Return True if an identifier belongs to another collection than `owner`."""
    return record is not None and record.owner not in ("", owner)


def take_over(owner: str) -> Edit:
    """Let a collection own an identifier, even one of another owner, that has a record."""

    def edit(current: Record | None) -> Record | None:
        if current is None or current.owner == owner:
            return None
        return replace(current, owner=owner)

    return edit


def may_replace_master(image: Live, master_key: str, owner: str) -> bool:
    """Return True if the master under `master_key`, of this owner, may replace that of an image.

    It is the same master, or one of the collection that took the image over from another.
    """
    if image.master_key == master_key:
        return True
    folder = collection_folder(owner) if owner else ""
    return bool(folder) and image.owner == owner and not image.master_key.startswith(folder)
