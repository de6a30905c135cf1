"""A report in parts, written as a page of HTML, as Markdown with its charts next to it, or as text.

The page needs nothing else: no network, no script; it follows light and dark, and prints.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from markupsafe import Markup, escape

from loadtest.report.charts import COLOURS
from vitrine.cli.pages.kit import render, stylesheet

HERE = Path(__file__).parent
MANY = 11
"""Columns; a table with more of them has smaller letters on paper."""


@dataclass(frozen=True)
class Heading:
    """A heading of a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True)
class Text:
    """A paragraph of plain words; `bad` if it says that the figures prove nothing."""

    kind: ClassVar[str] = "text"
    text: str
    bad: bool = False


@dataclass(frozen=True)
class Preformatted:
    """Lines that stay as they are."""

    kind: ClassVar[str] = "preformatted"
    text: str


@dataclass(frozen=True)
class Table:
    """A table; cells come formatted, and every column but the first `words` holds numbers."""

    kind: ClassVar[str] = "table"
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1
    bad: frozenset[tuple[int, int]] = frozenset()
    """Cells in red: row and column."""


@dataclass(frozen=True)
class Chart:
    """A chart of `loadtest.report.charts`; its name is its file's."""

    kind: ClassVar[str] = "chart"
    name: str
    caption: str
    svg: str

    @property
    def labelled_svg(self) -> Markup:
        """The chart for a page, with its caption as its label."""
        return Markup(self.svg.replace("<svg", f'<svg aria-label="{escape(self.caption)}"', 1))


Part = Heading | Text | Preformatted | Table | Chart


def captioned_chart(caption: str, svg: str) -> Chart:
    """Return a chart that is named after its caption."""
    return Chart(re.sub(r"[^a-z0-9]+", "-", caption.lower()).strip("-"), caption, svg)


def machine_part(values: Mapping[str, Any]) -> Preformatted:
    """Return a line for each entry of a run's `machine`."""
    return Preformatted(
        "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in values.items())
    )


def frame_parts(remarks: Iterable[tuple[str, bool]], parts: Sequence[Part]) -> list[Part]:
    """Return the parts behind the remarks that make their figures worthless, before all others.

    A remark is a sentence, with True if it makes the figures worthless.
    """
    found = list(remarks)
    notes = [Text(sentence) for sentence, bad in found if not bad]
    return [
        *(Text(sentence, bad=True) for sentence, bad in found if bad),
        *parts,
        *([Heading("Notes"), *notes] if notes else ()),
    ]


def html_page(title: str, parts: Sequence[Part]) -> str:
    """Return a page that needs no other file."""
    style = COLOURS + stylesheet(HERE / "report.css")
    return render(HERE / "report.html", title=title, style=style, parts=parts, many=MANY)


def format_text(parts: Sequence[Part]) -> str:
    """Return text for a terminal: all but the charts, and headings of nothing else."""
    written = [part for part in parts if not isinstance(part, Chart)]
    return "\n\n".join(
        _text_part(part)
        for part, following in zip(written, [*written[1:], None], strict=True)
        if not (isinstance(part, Heading) and (following is None or isinstance(following, Heading)))
    )


def _text_part(part: Heading | Text | Preformatted | Table) -> str:
    match part:
        case Heading(words):
            return f"{words}\n{'-' * len(words)}"
        case Text(words) | Preformatted(words):
            return words
        case Table(caption, header, rows, words_columns):
            widths = [
                max(len(row[place]) for row in (header, *rows)) for place in range(len(header))
            ]
            lines = [
                "  ".join(
                    cell.ljust(width) if place < words_columns else cell.rjust(width)
                    for place, (cell, width) in enumerate(zip(row, widths, strict=True))
                ).rstrip()
                for row in (header, *rows)
            ]
            return "\n".join([caption, *lines])
