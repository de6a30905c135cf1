"""A report in parts, written as a page of HTML, as Markdown with its charts beside it, or as text.

The page needs nothing else: no network, no script; it follows light and dark, and prints.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from loadtest.report.charts import COLOURS


@dataclass(frozen=True)
class Heading:
    """A heading of a section."""

    text: str


@dataclass(frozen=True)
class Text:
    """A paragraph of plain words."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table; numbers come formatted, and every column but the first `words` holds numbers."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1


@dataclass(frozen=True)
class Chart:
    """A chart of `loadtest.report.charts`; its name is its file's."""

    name: str
    caption: str
    svg: str


Part = Heading | Text | Table | Chart

_STYLE = """
:root{color-scheme:light dark;--paper:#fff}
@media screen and (prefers-color-scheme:dark){:root{--paper:#161616}}
body{font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:60rem;margin:2rem auto;padding:0 1rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:1rem 0;font-size:.875rem}
caption{text-align:left;font-weight:600;padding:.25rem 0}
th,td{border-bottom:1px solid var(--faint);padding:.25rem .75rem .25rem 0;text-align:left;
vertical-align:top}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
th.number{white-space:normal}
figure{margin:1rem 0;break-inside:avoid}
figure svg{width:100%;height:auto}
figcaption{font-size:.875rem}
tr,caption{break-inside:avoid}
@media print{:root{color-scheme:light}body{max-width:none;margin:0;font-size:10pt}}
"""


def html(title: str, parts: Sequence[Part]) -> str:
    """One page that needs no other file."""
    body = "\n".join(_html_part(part) for part in parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{COLOURS}{_STYLE}</style>\n</head>\n"
        f"<body>\n<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def markdown(parts: Sequence[Part], charts: str) -> str:
    """Markdown that shows its charts from the folder `charts`, as seen from the page."""
    return "\n\n".join(_markdown_part(part, charts) for part in parts) + "\n"


def text(parts: Sequence[Part]) -> str:
    """For a terminal: all but the charts."""
    return "\n\n".join(_text_part(part) for part in parts if not isinstance(part, Chart))


def _html_part(part: Part) -> str:
    match part:
        case Heading(words):
            return f"<h2>{escape(words)}</h2>"
        case Text(words):
            return f"<p>{escape(words)}</p>"
        case Table():
            return f'<div class="wide">{_html_table(part)}</div>'
        case Chart(_, caption, svg):
            label = escape(caption, quote=True)
            named = svg.replace("<svg", f'<svg aria-label="{label}"', 1)
            return f"<figure>{named}<figcaption>{escape(caption)}</figcaption></figure>"


def _html_table(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        marks = ["" if place < table.words else ' class="number"' for place in range(len(cells))]
        pairs = zip(cells, marks, strict=True)
        return "<tr>" + "".join(f"<{tag}{m}>{escape(c)}</{tag}>" for c, m in pairs) + "</tr>"

    rows = "\n".join(row(cells, "td") for cells in table.rows)
    return (
        f"<table><caption>{escape(table.caption)}</caption>\n"
        f"<thead>{row(table.header, 'th')}</thead>\n<tbody>{rows}</tbody></table>"
    )


def _markdown_part(part: Part, charts: str) -> str:
    match part:
        case Heading(words):
            return f"## {words}"
        case Text(words):
            return words
        case Table(caption, header, rows, words_columns):
            rule = ["---" if place < words_columns else "---:" for place in range(len(header))]
            lines = ["| " + " | ".join(cells) + " |" for cells in (header, rule, *rows)]
            return f"**{caption}**\n\n" + "\n".join(lines)
        case Chart(name, caption, _):
            return f"![{caption}]({charts}/{name}.svg)"


def _text_part(part: Heading | Text | Table) -> str:
    match part:
        case Heading(words):
            return f"{words}\n{'-' * len(words)}"
        case Text(words):
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
