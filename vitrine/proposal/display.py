"""Which columns people want to read, and by which they look for objects."""

import re

from vitrine.proposal.columns import ADDRESS, NUMBER, Column

MIN_REPEATS = 2.5
"""Cells for each value of a column by which people look for objects, on average: makers and
subjects of museums' tables have 2.8 and more, titles and dimensions 1.5 and less."""
MAX_FACET_LENGTH = 120
"""Characters of such a value."""
_FOR_MACHINES = re.compile(
    r"modified|updated|timestamp|checksum|md5|latitude|longitude|thumb|email|format|sortorder"
)
_KEYS = frozenset({"id", "uuid", "guid", "cdmid", "count", "order", "url", "uri", "letter"})
_DATES = frozenset({"date", "dates", "year", "years", "datum", "jahr", "datierung", "created"})
_DESCRIPTIVE = re.compile(
    r"maker|artist|creator|author|photographer|publisher|culture|period|date|medium|techni|material|"
    r"dimension|classification|type|genre|subject|place|location|department|collection|provenance|"
    r"inscription|kunstler|hersteller|masse|ort|sujet|auteur|lieu|soort|plaats"
)


def is_for_people(column: Column) -> bool:
    """Return whether people would read a column: one that says something, and not always that."""
    if not column.texts or {"{", "}"} & set(column.name):
        return False
    if _FOR_MACHINES.search("".join(column.words)) or _KEYS & {column.words[-1]}:
        return False
    is_constant = column.distinct == 1 and len(column.cells) > 1
    return column.share(ADDRESS) < 1 and not (is_constant and len(column.texts) > 1)


def interest_of(column: Column) -> float:
    """Return how likely people want to read a column; it counts against others alone."""
    interest = float(bool(_DESCRIPTIVE.search("".join(column.words) or column.name)))
    interest += bool(_DESCRIPTIVE.search(column.label.lower()))
    interest += is_facet(column) - 2 * (column.share(NUMBER) > 0.5) - 0.5 * column.depth
    return interest + len(column.texts) / max(len(column.cells), 1) / 2


def is_facet(column: Column) -> bool:
    """Return whether people would look for objects by the values of a column: if they repeat."""
    cells, distinct = column.values.total(), len(column.values)
    if not 1 < distinct <= cells / MIN_REPEATS or len(column.texts) < 0.1 * len(column.cells):
        return False
    if column.share(NUMBER) > 0.5 or column.share(ADDRESS) or _DATES & set(column.words):
        return False
    return max(map(len, column.values)) <= MAX_FACET_LENGTH and is_for_people(column)
