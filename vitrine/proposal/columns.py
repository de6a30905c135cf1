"""The columns of a table, and what stands in them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from vitrine.sources.mapping.documents import RecordDocuments
from vitrine.sources.mapping.mapped_text import meaningful
from vitrine.sources.mapping.table import Table

LOOKED_AT = 10_000
"""Rows whose cells are looked at."""
EMPTY = ("n/a", "-", "unknown")
"""Cells that mean nothing, in lower case."""
_GENERIC = frozenset({"name", "fullname", "value", "text", "label", "term", "title"})
"""Names of fields that say nothing without the field around them."""
NUMBER = re.compile(r"[-+]?[\d.,]+\s*$")
ADDRESS = re.compile(r"https?://")
_VOCABULARY = re.compile(r"(?:dc|dcterms|schema|mods)[:.]", re.IGNORECASE)
"""Begins the names of columns that are called like terms of a vocabulary."""


@dataclass(frozen=True)
class Column:
    """A column of a table, or a simple path into records."""

    name: str
    cells: tuple[tuple[str, ...], ...]
    """The values of each row; those of a table have one or none."""
    fields: tuple[str, ...] = ()
    """The fields that lead to it in records of JSON; empty for a table and for XML."""

    @cached_property
    def texts(self) -> list[str]:
        """All values, in the order of the rows."""
        return [text for cell in self.cells for text in cell]

    @cached_property
    def distinct(self) -> int:
        """Number of different values."""
        return len(set(self.texts))

    @cached_property
    def separator(self) -> str:
        """The sign between several values in one cell; empty if a cell has one value."""
        for sign in ("|", ";"):
            if self.texts and sum(sign in text for text in self.texts) >= 0.1 * len(self.texts):
                return sign
        return ""

    @cached_property
    def values(self) -> Counter[str]:
        """How often each value stands in a cell, of several in one cell each."""
        return Counter(self.split(self.texts))

    def split(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield the values in texts of the column: several of one cell each."""
        for text in texts:
            parts = text.split(self.separator) if self.separator else [text]
            yield from filter(None, map(str.strip, parts))

    @property
    def depth(self) -> int:
        """How deep in records it is: 0 for a table's."""
        return max(len(self.fields) - 1, 0)

    @cached_property
    def words(self) -> list[str]:
        """The words of its name, in lower case: two of `yearOfBirth` and of `Year birth` alike."""
        name = self.fields[-1] if self.fields else self.name
        return [plain(word) for word in _split_words(name)] or [""]

    @cached_property
    def label(self) -> str:
        """Its name as people would write it: `Date text` of `dateText` and of `date_text`."""
        if len(self.fields) > 1 and plain(self.fields[-1]) in _GENERIC:
            return _speak(self.fields[-2])
        return _speak(self.fields[-1] if self.fields else _VOCABULARY.sub("", self.name))

    @property
    def long_label(self) -> str:
        """Its name with those of the fields around it, as people would write them."""
        return _speak(" ".join(dict.fromkeys(self.fields))) if self.fields else self.name

    def share(self, fits: "re.Pattern[str]") -> float:
        """Return the share of the values that a pattern fits from their beginning."""
        found = sum(bool(fits.match(text)) for text in self.texts)
        return found / len(self.texts) if self.texts else 0.0


def read_columns(table: Table) -> list[Column]:
    """Return the columns that have names. Raises MappingUnusable, OSError."""
    paths = table.simple_paths(LOOKED_AT) if isinstance(table, RecordDocuments) else []
    names = list(dict.fromkeys(filter(None, paths or table.columns or ())))
    rows = [
        meaningful(row.values, EMPTY)
        for row in islice(table.rows(set(names)), LOOKED_AT)
        if not row.fault
    ]
    return [
        Column(
            name,
            tuple(tuple(text.strip() for text in row.get(name, ())) for row in rows),
            tuple(name.replace("[]", "").split(".")) if paths and name[0] != "/" else (),
        )
        for name in names
    ]


def plain(name: str) -> str:
    """Return the letters and digits of a name, in lower case and without accents."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]", "", letters)


def _speak(name: str) -> str:
    words = _split_words(name)
    spoken = " ".join(word if word.isupper() else word.lower() for word in words)
    return spoken[:1].upper() + spoken[1:] or name


def _split_words(name: str) -> list[str]:
    apart = re.sub(r"(?<=[a-zß-ÿ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word for word in re.split(r"[\W_]+", apart) if word]
