"""What the photo door works with."""

from collections.abc import Mapping
from dataclasses import dataclass

from vitrine.api.photo_forms import Forms
from vitrine.photos.admission import LongSlots
from vitrine.photos.thumbnails import Thumbnail
from vitrine.ports import DownloadAddresses, ObjectStore, UseCounter


@dataclass(frozen=True, kw_only=True)
class PhotoServices:
    """Ports and limits of one door."""

    forms: Forms
    uses: UseCounter
    masters: ObjectStore
    records: ObjectStore
    addresses: DownloadAddresses
    """Signer of addresses of thumbnails, in the bucket of records."""
    slots: LongSlots
    thumbnails: Mapping[str, Thumbnail]
    """Thumbnails that a request may name; it gets all of them if it names none."""
    most_bytes: int
    """Bytes of a photograph."""
    most_pixels: int
    most_memory_bytes: int
    """Bytes of memory to decode one photograph."""
    most_answer_bytes: int | None = None
    """Bytes of the thumbnails in the body of an answer; None: no limit."""
    gps: bool
    """True: answers say where a photograph was taken."""
    edge_url: str
    """Scheme and host of public addresses; empty: the Host header decides."""
