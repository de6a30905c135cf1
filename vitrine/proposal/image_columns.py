"""The column of a table that names its images, found by looking at the files that are there."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vitrine.proposal.columns import Column
from vitrine.sources.mapping.masters_folder import MasterFiles

MIN_DISTINCT = 0.5
"""Share of different values of a column that can name images."""
MAX_WORDS = 8
"""Words of a file's name among which that of an object is looked for."""
_END_OF_WORD = re.compile(r"(?<=[^\W_])(?=[\W_])|(?<=\d)(?=[^\W\d_])")


@dataclass(frozen=True)
class ImageColumn:
    """A column, and how its values become names of files."""

    column: Column
    files: int
    """Files that its rows name."""
    rows: int
    """Rows of which a file is there."""
    before: str = ""
    """Begins the names of files, before the value."""
    after: str = ""
    """Ends the names: `_*` if an object has several files."""

    @property
    def separator(self) -> str:
        """The sign between several names in a cell; empty if there is one."""
        return "" if self.before or self.after else self.column.separator


def match_files(columns: Sequence[Column], masters: MasterFiles) -> list[ImageColumn]:
    """Return the columns that name files, those that name most first."""
    able = [one for one in columns if one.distinct >= MIN_DISTINCT * len(one.texts) > 0]
    found = [_match(one, masters) for one in able]
    found += [
        _match(one, masters, before, after)
        for one in able
        for before, after in _affixes(one, masters.stems)
    ]
    named = [one for one in found if one and one.rows]
    return sorted(named, key=lambda one: (-one.files, -one.rows, bool(one.before + one.after)))


def _match(
    column: Column, masters: MasterFiles, before: str = "", after: str = ""
) -> ImageColumn | None:
    """Return what a column names; None if several of its rows name the same files."""
    files: Counter[str] = Counter()
    rows = 0
    for cell in column.cells:
        named = {
            several[0]
            for name in column.split(cell)
            for _, several in masters.find_each(f"{before}{name}{after}")
            if len(several) == 1
        }
        rows += bool(named)
        files.update(named)
    if after and any(number > 1 for number in files.values()):
        return None
    return ImageColumn(column, len(files), rows, before, after)


def _affixes(column: Column, stems: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what most files have around the value of a column: nothing if there is no such."""
    values = {text.casefold() for text in column.texts}
    around: Counter[tuple[str, str]] = Counter()
    for stem in stems:
        for before, value, after in _parts(stem):
            if value in values and (before or after):
                sign = re.match(r"[\W_]*", after)
                around[before, f"{sign[0] if sign else ''}*" if after else ""] += 1
    tried = [affixes for affixes, files in around.most_common(2) if files > 1]
    yield from tried
    yield from dict.fromkeys((before, "*") for before, after in tried if after)


def _parts(stem: str) -> Iterator[tuple[str, str, str]]:
    """Yield a name as what is before some of its words, these, and what is after them."""
    edges = [0, *(found.start() for found in re.finditer(r"(?<=[\W_])(?=[^\W_])", stem)), len(stem)]
    ends = [*(found.start() for found in _END_OF_WORD.finditer(stem)), len(stem)]
    for start in edges[: MAX_WORDS - 1]:
        for end in ends[:MAX_WORDS]:
            if start < end:
                yield stem[:start], stem[start:end], stem[end:]
