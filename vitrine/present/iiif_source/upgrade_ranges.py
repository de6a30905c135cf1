"""The flat list of ranges of version 2, as the tree that version 3 has."""

from collections.abc import Callable
from typing import Any

from vitrine.present.iiif_source.properties import Json, as_list, as_text, identifier_of


def upgrade_ranges(ranges: list[Json], texts: Callable[[Any], Any]) -> list[Json]:
    """Return the tree. A range that a manifest calls `top` stands for its parts.

    A range has the place where it is named first, and no second one.
    """
    tree = _Tree({identifier_of(one): one for one in ranges}, texts)
    named = {inner for one in ranges for inner in tree.parts(one)}
    roots = [one for one in ranges if identifier_of(one) not in named]
    top = [one for one in roots if as_text(one.get("viewingHint")) == "top"]
    found = [tree.build(one) for one in (top or roots)]
    if len(top) == 1 and found[0]:
        return [one for one in found[0]["items"] if one["type"] == "Range"]
    return [one for one in found if one]


class _Tree:
    def __init__(self, ranges: dict[str, Json], texts: Callable[[Any], Any]) -> None:
        self._ranges = ranges
        self._texts = texts
        self._built: set[str] = set()
        self._within: dict[str, list[str]] = {}
        for name, one in ranges.items():
            if (parent := identifier_of(one.get("within"))) in ranges:
                self._within.setdefault(parent, []).append(name)

    def parts(self, one: Json) -> list[str]:
        """Return the ranges in a range, by `ranges`, `members` or their own `within`."""
        members = [identifier_of(inner) for inner in as_list(one.get("members"))]
        named = [identifier_of(inner) for inner in as_list(one.get("ranges"))]
        named += [name for name in members if name in self._ranges]
        named += self._within.get(identifier_of(one), [])
        return list(dict.fromkeys(name for name in named if name))

    def build(self, one: Json) -> Json | None:
        """Return a range with all that is in it, None for one that was built before."""
        name = identifier_of(one)
        if name in self._built:
            return None
        self._built.add(name)
        members = [identifier_of(inner) for inner in as_list(one.get("members"))]
        canvases = [identifier_of(inner) for inner in as_list(one.get("canvases"))]
        canvases += [member for member in members if member not in self._ranges]
        items: list[Json] = [{"id": canvas, "type": "Canvas"} for canvas in canvases if canvas]
        for inner in self.parts(one):
            if inner in self._ranges and (built := self.build(self._ranges[inner])):
                items.append(built)
        return {"id": name, "type": "Range", "label": self._texts(one.get("label")), "items": items}
