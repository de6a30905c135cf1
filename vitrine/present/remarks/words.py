"""The words of an annotation, as the index has them: each where the whole annotation is."""

from vitrine.iiif.presentation.remarks import Remark
from vitrine.present.text.page_builder import PageBuilder
from vitrine.present.text.page_text import Box, CanvasSize, Line, PageText, Word

_ANYWHERE = CanvasSize(1, 1)


def write_words(remark: Remark) -> PageText:
    """Return a page with the words of an annotation alone. Raises TextRefused for too long ones."""
    builder = PageBuilder(_ANYWHERE)
    for body in remark.bodies:
        for line in body.words.splitlines():
            builder.begin_line(None, body.language)
            builder.add_text(line)
    boxes = tuple(Box(*box) for box in remark.boxes)
    lines = tuple(
        Line(tuple(Word(word.text, boxes) for word in line.words), line.language)
        for line in builder.finish().lines
    )
    return PageText(lines)
