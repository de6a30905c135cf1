"""The one door: a file of W3C annotations, of which those are read that are not text of the page.

Each that cannot be read is named with the reason; all others are read, without moments that are not
one. What cannot be read at all is a TextRefused.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from vitrine.errors import TextRefused
from vitrine.iiif.presentation.remarks import Remark
from vitrine.text.annotations.bodies import read_bodies
from vitrine.text.annotations.names import (
    read_creator,
    read_identifier,
    read_moment,
    read_motivation,
)
from vitrine.text.annotations.sources import Pages
from vitrine.text.annotations.targets import read_targets
from vitrine.text.annotations.words import write_words
from vitrine.text.transcription.annotations import (
    MAX_BYTES,
    is_text,
    list_annotations,
    list_motivations,
)
from vitrine.text.transcription.xml_events import read_pieces

MAX_ANNOTATIONS = 1_000
"""Annotations of a canvas."""
MAX_CHARACTERS = 500_000
"""Characters of all texts of a canvas."""
MAX_MOTIVATIONS = 10
_PAINTING = "painting"


@dataclass
class ReadRemarks:
    """What a file has."""

    pages: Mapping[int, list[Remark]]
    """Pages by the number of the canvas, from 1."""
    refused: list[tuple[int, TextRefused]] = field(default_factory=list)
    """Place in the file, from 1, and reason of those that are left out."""
    notes: list[tuple[int, str]] = field(default_factory=list)
    """Place and sentence of what is left out of those that are read."""
    texts: int = 0
    """Annotations that are text of the page, and are read as such."""


def read_remarks(file: IO[bytes], pages: Pages) -> ReadRemarks:
    """Return the annotations of a file, for the canvases that it is for. Raises TextRefused."""
    remarks: defaultdict[int, list[Remark]] = defaultdict(list)
    characters: defaultdict[int, int] = defaultdict(int)
    read = ReadRemarks(remarks)
    for place, annotation in enumerate(list_annotations(read_pieces(file, MAX_BYTES)), start=1):
        if is_text(annotation):
            read.texts += 1
            continue
        notes: list[str] = []
        try:
            number, remark = _read(annotation, pages, notes)
            length = sum(len(body.value) + len(body.plain) for body in remark.bodies)
            if len(remarks[number]) == MAX_ANNOTATIONS:
                sentence = f"its page has more than {MAX_ANNOTATIONS:,} annotations"
                raise TextRefused("annotations", sentence)
            if characters[number] + length > MAX_CHARACTERS:
                sentence = f"those of its page have more than {MAX_CHARACTERS:,} characters"
                raise TextRefused("characters", sentence)
            characters[number] += length
            remarks[number].append(remark)
            read.notes += [(place, note) for note in notes]
        except TextRefused as refused:
            read.refused.append((place, refused))
    return read


def _read(annotation: dict[str, Any], pages: Pages, notes: list[str]) -> tuple[int, Remark]:
    number, places = read_targets(annotation.get("target"), pages)
    remark = Remark(
        motivations=_read_motivations(annotation),
        own_name=read_identifier(annotation.get("id")),
        bodies=read_bodies(annotation),
        places=places,
        creator=read_creator(annotation.get("creator")),
        created=read_moment(annotation.get("created"), "created", notes),
        modified=read_moment(annotation.get("modified"), "modified", notes),
    )
    # Words that cannot be found are refused here, where somebody reads the reason.
    write_words(remark)
    return number, remark


def _read_motivations(annotation: dict[str, Any]) -> tuple[str, ...]:
    several = list_motivations(annotation)
    if len(several) > MAX_MOTIVATIONS:
        raise TextRefused("motivation", f"it has more than {MAX_MOTIVATIONS} motivations")
    names = [read_motivation(one, "motivation") for one in several]
    if not all(names):
        raise TextRefused("motivation", "it has an empty motivation")
    if any(name.lower() == _PAINTING for name in names):
        raise TextRefused("motivation", "its motivation is that of what a page shows: painting")
    return tuple(dict.fromkeys(names))
