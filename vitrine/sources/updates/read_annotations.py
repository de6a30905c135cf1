"""The annotations of a table's pages are read and stored, before the objects that name them.

Those that are text of a page are not among them: `read_texts.py` reads them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from vitrine.catalogue.publisher import Publisher
from vitrine.errors import TextRefused
from vitrine.iiif.presentation.model import Canvas
from vitrine.iiif.presentation.remarks import Remark
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.published_before import read_before, read_sizes, shown_on
from vitrine.sources.updates.read_texts import TextReport
from vitrine.store.layout import owned_text, remarks_key
from vitrine.text.annotations.read_annotations import read_remarks
from vitrine.text.annotations.sources import Pages
from vitrine.text.annotations.stored_annotations import encode_remarks
from vitrine.text.transcription.page_text import CanvasSize
from vitrine.text.transcription.stored_text import CONTENT_TYPE

MAX_NAMED = 20
"""Annotations of a file that are named when they cannot be read, or not whole."""


@dataclass(frozen=True)
class AnnotationReader:
    """Reads the files of mapped objects, each time: what each lacks is named again."""

    publisher: Publisher
    collection: str
    """Collection whose annotations they are."""
    report: TextReport = field(default_factory=TextReport)

    def attach(self, mapped: MappedObject) -> MappedObject:
        """Return an object whose canvases name their annotations. Raises TransientError."""
        if not mapped.annotations:
            return mapped
        canvases = list(mapped.item.canvases)
        before = read_before(self.publisher, mapped.item.identifier, "annotations")
        sizes = read_sizes(self.publisher, canvases)
        for file in dict.fromkeys(filter(None, mapped.annotations)):
            places = [place for place, one in enumerate(mapped.annotations) if one == file]
            known = {place: sizes[place] for place in places if place in sizes}
            if len(places) > 1 and len(sizes) < len(canvases):
                missing = next(place for place in range(len(canvases)) if place not in sizes)
                self._name_unnumbered(file, canvases[missing])
                known = {}
            found = self._read_file(mapped, file, known, set(before.values())) if known else {}
            for place in places:
                canvas = canvases[place]
                name = found.get(place, before.get(shown_on(canvas), ""))
                canvases[place] = msgspec.structs.replace(canvas, annotations=name)
        item = msgspec.structs.replace(mapped.item, canvases=tuple(canvases))
        return replace(mapped, item=item)

    def _read_file(
        self, mapped: MappedObject, file: str, sizes: dict[int, CanvasSize], known: set[str]
    ) -> dict[int, str]:
        """Store the annotations of a file; return their names by the places of canvases.

        Nothing if the file cannot be read at all, which says nothing about the annotations.
        """
        pages = Pages(
            mapped.item.identifier,
            {place + 1: size for place, size in sizes.items()},
            dict(enumerate(mapped.item.canvases, start=1)),
        )
        try:
            with Path(file).open("rb") as opened:
                read = read_remarks(opened, pages)
        except TextRefused as error:
            self.report.refused.append((file, str(error)))
            return dict.fromkeys(sizes, "")
        except OSError as error:
            sentence = f"{error}; the annotations that are published of it, if any, stay"
            self.report.refused.append((file, sentence))
            return {}
        self._name(file, read.refused, self.report.refused, "annotations cannot be read")
        self._name(file, read.notes, self.report.notes, "annotations are not read whole")
        if read.texts and file not in mapped.texts:
            sentence = f"it has {read.texts:,} texts of a page: name the file as its text as well"
            self.report.refused.append((file, sentence))
        return {
            place: self._store(read.pages.get(place + 1, []), size, known)
            for place, size in sizes.items()
        }

    def _name_unnumbered(self, file: str, missing: Canvas) -> None:
        """Name a file of several images, whose canvases have other numbers while one is missing."""
        sentence = (
            f"the image {shown_on(missing)!r} is not published, so nobody knows which of the "
            "others it means; the annotations that are published of it, if any, stay"
        )
        self.report.refused.append((file, sentence))

    def _name(
        self,
        file: str,
        several: Sequence[tuple[int, TextRefused | str]],
        named: list[tuple[str, str]],
        what: str,
    ) -> None:
        for place, reason in several[:MAX_NAMED]:
            named.append((file, f"annotation {place:,}: {reason}"))
        if len(several) > MAX_NAMED:
            named.append((file, f"{len(several) - MAX_NAMED:,} more {what}"))

    def _store(self, remarks: list[Remark], size: CanvasSize, known: set[str]) -> str:
        if not remarks:
            self.report.empty += 1
            return ""
        name, body = encode_remarks(remarks, size)
        name = owned_text(self.collection, name)
        if name in known:
            self.report.unchanged += 1
            return name
        self.publisher.records.put(remarks_key(name), body, content_type=CONTENT_TYPE)
        self.report.read += 1
        return name
