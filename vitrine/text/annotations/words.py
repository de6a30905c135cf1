"""The words of an annotation, as the index has them: its places are those of its first word."""

from dataclasses import replace

from vitrine.iiif.presentation.remarks import Remark
from vitrine.text.transcription.page_builder import PageBuilder
from vitrine.text.transcription.page_text import CanvasSize, Line, PageText, TextBox, Word

_ANYWHERE = CanvasSize(1, 1)


def write_words(remark: Remark) -> PageText:
    """Return a page with the words of an annotation alone. Raises TextRefused for too long ones."""
    builder = PageBuilder(_ANYWHERE)
    for body in remark.bodies:
        for line in body.words.splitlines():
            builder.begin_line(None, body.language)
            builder.add_text(line)
    first, *others = builder.finish().lines or (Line(()),)
    if not first.words:
        return PageText(())
    boxes = tuple(TextBox(*box) for box in remark.boxes)
    words = (Word(first.words[0].text, boxes), *first.words[1:])
    return PageText((replace(first, words=words), *others))
