"""What the documents of objects call them and their canvases, while an answer is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import brotli
import msgspec

from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.store.layout import publication_key
from vitrine.store.publications import Published, decode_publication
from vitrine.store.published_document import DAMAGE, log_damage


@dataclass(frozen=True)
class Titles:
    """Labels, as a version of the Presentation API writes them."""

    label: Any
    canvases: Sequence[Any]

    def canvas(self, page: int) -> Any:
        """Return the label of a canvas, from 0; None if it has none."""
        return self.canvases[page] if page < len(self.canvases) else None


class _Canvas(msgspec.Struct):
    label: Any = None


class _Manifest3(msgspec.Struct):
    label: Any
    items: list[_Canvas] = []


class _Sequence(msgspec.Struct):
    canvases: list[_Canvas] = []


class _Manifest2(msgspec.Struct):
    label: Any
    sequences: list[_Sequence] = []


_decode_2 = msgspec.json.Decoder(_Manifest2).decode
_decode_3 = msgspec.json.Decoder(_Manifest3).decode


class PublishedTitles:
    """The publications of objects, each read once for an answer; safe from several threads."""

    def __init__(self, site: ObjectStore) -> None:
        self._site = site
        self._documents: dict[str, Mapping[int, bytes]] = {}

    def admit(self, identifier: str, index_name: str) -> bool:
        """Return whether an object is published with this text index. Raises TransientError."""
        key = publication_key(identifier)
        try:
            publication = decode_publication(self._site.get(key)[0])
        except ObjectMissing:
            return False
        except msgspec.DecodeError as error:
            log_damage(key, error)
            return False
        if not isinstance(publication, Published) or publication.text_index != index_name:
            return False
        self._documents[identifier] = publication.documents
        return True

    def read(self, identifier: str, version: int) -> Titles:
        """Return the labels of an object that was admitted, for version 2 or 3.

        Those of one that is damaged, which is logged, are its identifier alone.
        """
        try:
            document = brotli.decompress(self._documents[identifier][version])
            return _read_2(document) if version == 2 else _read_3(document)
        except (KeyError, *DAMAGE) as error:
            log_damage(publication_key(identifier), error)
            return Titles(identifier if version == 2 else {"none": [identifier]}, [])


def _read_2(document: bytes) -> Titles:
    older = _decode_2(document)
    canvases = [one.label for part in older.sequences[:1] for one in part.canvases]
    return Titles(older.label, canvases)


def _read_3(document: bytes) -> Titles:
    newer = _decode_3(document)
    return Titles(newer.label, [one.label for one in newer.items])
