"""Tables and running text in Markdown."""

import textwrap
from collections.abc import Sequence

WIDTH = 100
"""Characters in a line of text."""


def table(header: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """Return a table whose first `words` columns are text and whose others are numbers."""
    rule = ["---" if column < words else "---:" for column in range(len(header))]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in (header, rule, *rows)) + "\n"


def paragraph(text: str, indent: str = "") -> str:
    """Return the text in lines of at most `WIDTH` characters; `indent` starts all but the first."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
