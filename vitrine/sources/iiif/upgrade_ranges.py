"""The flat list of ranges of version 2, as the tree that version 3 has."""

from collections.abc import Callable, Iterable, Iterator

from vitrine.sources.iiif.properties import Json, as_list, as_text, identifier_of

_PARTS = ("ranges", "members", "canvases")


def upgrade_ranges(ranges: list[Json], describe: Callable[[Json], Json]) -> list[Json]:
    """Return the tree. A range that a manifest calls `top` stands for its parts.

    A range has the place where it is named first, and no second one.
    """
    known = {identifier_of(one): one for one in _with_embedded(ranges)}
    tree = _Tree(known, describe)
    named = {inner for one in known.values() for inner in tree.parts(one)}
    roots = [one for name, one in known.items() if name not in named]
    top = [one for one in roots if as_text(one.get("viewingHint")) == "top"]
    found = [tree.build(one) for one in (top or roots)]
    if len(top) == 1 and found[0]:
        return [one for one in found[0]["items"] if one["type"] == "Range"]
    return [one for one in found if one]


def _with_embedded(ranges: Iterable[Json]) -> Iterator[Json]:
    """Yield the ranges, and those that stand within others in place of their names."""
    for one in ranges:
        yield one
        inner = [part for name in _PARTS for part in as_list(one.get(name))]
        yield from _with_embedded(part for part in inner if _is_embedded(part))


def _is_embedded(part: object) -> bool:
    return isinstance(part, dict) and any(part.get(name) for name in _PARTS)


class _Tree:
    def __init__(self, ranges: dict[str, Json], describe: Callable[[Json], Json]) -> None:
        self._ranges = ranges
        self._describe = describe
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
        inner = [part for list_of in ("canvases", "members") for part in as_list(one.get(list_of))]
        canvases = dict.fromkeys(map(identifier_of, inner))
        items: list[Json] = [
            {"id": canvas, "type": "Canvas"}
            for canvas in canvases
            if canvas and canvas not in self._ranges
        ]
        for part in self.parts(one):
            if part in self._ranges and (built := self.build(self._ranges[part])):
                items.append(built)
        return {**self._describe(one), "id": name, "type": "Range", "items": items}
