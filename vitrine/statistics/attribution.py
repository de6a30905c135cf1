"""What was counted of images, as figures of the objects that show them and of their collections."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from vitrine.identify.redirects.bulk import Workers
from vitrine.ports import CatalogueTable, Statement
from vitrine.statistics.count import DayCount, Figures
from vitrine.statistics.uses import COLLECTION, IMAGE
from vitrine.store.layout import LISTS, SHOWS, image_subject, member_subject

ByIdentifier = dict[str, Figures]


class Owners:
    """Objects that show an image and collections that list an object, by the catalogue."""

    def __init__(self, catalogue: CatalogueTable) -> None:
        self._catalogue = catalogue
        self._lists: dict[str, frozenset[str]] = {}

    def objects_of(self, image: str) -> set[str]:
        """Return the objects that show an image. Raises TransientError."""
        return _authors(self._catalogue.about(image_subject(image)), SHOWS)

    def collections_above(self, member: str) -> set[str]:
        """Return the collections that list an object, and those that list these, and so on.

        Raises TransientError.
        """
        above, new = set[str](), {member}
        while new:
            new = {found for name in new for found in self._collections_of(name, member)} - above
            above |= new
        return above - {member}

    def _collections_of(self, name: str, member: str) -> Collection[str]:
        if name == member:  # of the objects, which are many, nothing is remembered
            return _authors(self._catalogue.about(member_subject(name)), LISTS)
        if name not in self._lists:
            found = _authors(self._catalogue.about(member_subject(name)), LISTS)
            self._lists[name] = frozenset(found)
        return self._lists[name]


def attribute(count: DayCount, owners: Owners) -> tuple[ByIdentifier, ByIdentifier]:
    """Return the figures of objects, and of collections with all that is in them.

    An image that several objects show is counted for each; one that no object shows has its own
    page, and stands among the objects. Raises TransientError.
    """
    objects, collections = defaultdict[str, Figures](Figures), defaultdict[str, Figures](Figures)
    with Workers() as workers:
        names = sorted(name for kind, name in count.items if kind == IMAGE)
        for image, found in zip(names, workers.map(owners.objects_of, names), strict=True):
            for name in found or {image}:
                objects[name].add(count.items[IMAGE, image])
        for (kind, name), figures in count.items.items():
            if kind != IMAGE:
                (collections if kind == COLLECTION else objects)[name].add(figures)
        names = sorted(objects)
        for name, above in zip(names, workers.map(owners.collections_above, names), strict=True):
            for collection in above:
                collections[collection].add(objects[name])
    return dict(objects), dict(collections)


def _authors(statements: Iterable[Statement], word: str) -> set[str]:
    """Return whose newest settled statement begins with this word."""
    newest: dict[str, Statement] = {}
    for one in statements:
        known = newest.get(one.author)
        if one.says is not None and (known is None or known.revision <= one.revision):
            newest[one.author] = one
    return {author for author, one in newest.items() if (one.says or ("",))[0] == word}
