"""Templates: texts with `{columns}`, filled in from a row."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Row = Mapping[str, Sequence[str]]
"""The values of each column: of a table one, of JSON any number."""

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_BRACES = {"{{": "{", "}}": "}"}


@dataclass(frozen=True)
class Template:
    """Literal texts and columns, alternating: as many texts as columns, and one more."""

    texts: tuple[str, ...]
    columns: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Template":
        """Read `{column}` as a column, `{{` and `}}` as braces. Raises ValueError for others."""
        texts, columns, begin = [""], [], 0
        for found in _PLACEHOLDER.finditer(text):
            texts[-1] += text[begin : found.start()]
            begin = found.end()
            if found[0] in _BRACES:
                texts[-1] += _BRACES[found[0]]
            elif found[1] is None or not found[1].strip():
                raise ValueError(f"{text!r} has a brace that names no column")
            else:
                columns.append(found[1].strip())
                texts.append("")
        texts[-1] += text[begin:]
        return cls(tuple(texts), tuple(columns))

    def expand(self, row: Row) -> list[str]:
        """Return the texts of a row: none if a column is empty.

        Of a column with several values each gives a text; if there are other columns, their values
        are joined by semicolons.
        """
        values = [[value for value in row.get(name, ()) if value.strip()] for name in self.columns]
        if not all(values):
            return []
        if len(values) == 1:
            return [f"{self.texts[0]}{value}{self.texts[1]}" for value in values[0]]
        joined = ["; ".join(several) for several in values]
        pieces = [text + value for text, value in zip(self.texts, [*joined, ""], strict=True)]
        return ["".join(pieces)]
