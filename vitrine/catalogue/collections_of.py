"""Which collections list an object, and which show an image, as the newest records have it."""

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from vitrine.access.collection_rules import CollectionRules
from vitrine.catalogue.records import (
    Described,
    TakenDown,
    follow_renames,
    last_described,
    used_images,
)
from vitrine.catalogue.statements import UNREADABLE, Catalogue
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.ports import IdentifierTable
from vitrine.store.layout import (
    LISTS,
    MOVED,
    NAMES,
    PICTURES,
    image_subject,
    member_subject,
    named_subject,
)

THREADS = 16


@dataclass(frozen=True)
class CollectionsOf:
    """Looks collections up in the catalogue."""

    catalogue: Catalogue
    identifiers: IdentifierTable

    def listing(
        self, identifier: str, *, with_named: bool = False, with_announced: bool = False
    ) -> set[str]:
        """Return the collections that list an object, a collection or an image by itself.

        Also by its previous identifiers; and `with_named`, those that only the object names, in
        `part_of`. What cannot be read lists what it was about to; `with_announced`, so does what
        is about to be written. Raises TransientError.
        """
        found, passed, waiting = set[str](), {identifier}, [identifier]
        while waiting:
            child = waiting.pop()
            # Of itself, an object says only which collections it names.
            without = "" if with_named and child == identifier else child
            for author, says in self.catalogue.said_of(
                member_subject(child), without=without, with_announced=with_announced
            ):
                if says[0] == MOVED and author not in passed:
                    passed.add(author)
                    waiting.append(author)
                elif says[0] in (LISTS, UNREADABLE) and author != child:
                    found.add(author)
                elif says[0] == NAMES and author == child:
                    found.update(says[1:])
        return found

    def showing(
        self, image: str, *, with_named: bool = True, with_announced: bool = False
    ) -> set[str]:
        """Return the collections that show an image, by itself, as a picture or by an object.

        Also by what redirects to it; and `with_named`, those that only the object names. With
        those that are about to, objects may be among them. Raises TransientError.
        """
        redirects = self.identifiers.redirects_to(image)
        names = {image, *(redirect.identifier for redirect in redirects)}
        users = {
            user: says[0]
            for name in names
            for user, says in self.catalogue.said_of(
                image_subject(name), with_announced=with_announced
            )
        }
        found = {user for user, says in users.items() if says in (PICTURES, UNREADABLE)}
        objects = [user for user, says in users.items() if says != PICTURES]

        def read(object_: str) -> set[str]:
            return self.listing(object_, with_named=with_named, with_announced=with_announced)

        # Thousands of objects may have the same logo.
        with ThreadPoolExecutor(THREADS, thread_name_prefix="users") as threads:
            found.update(*threads.map(read, objects))
        for name in names:
            listed = self.listing(name, with_announced=with_announced)
            if listed and self.catalogue.journal.latest(name) is None:
                found |= listed
        return found

    def following(self, image: str, noted: Collection[str] = ()) -> set[str]:
        """Return the collections that show an image now; of those noted, also what is about to.

        Raises TransientError.
        """
        found = self.showing(image)
        if found.issuperset(noted):
            return found
        return found | self.showing(image, with_announced=True).intersection(noted)

    def still_showing(
        self, image: str, names: set[str], rules: CollectionRules, *, with_named: bool
    ) -> set[str]:
        """Return those of the collections, by any identifier, that show an image or are about to.

        Raises TransientError.
        """
        if not names:
            return names
        found = self.showing(image, with_named=with_named, with_announced=True)
        showing = {rules.present(each) for each in found}
        return {each for each in names if rules.present(each) in showing}

    def naming(self, collection: str) -> set[str]:
        """Return the objects that name a collection, by any identifier that it has or had.

        Raises TransientError.
        """
        called, waiting = {collection}, [collection]
        while waiting:
            said = self.catalogue.said_of(member_subject(waiting.pop()))
            previous = {author for author, says in said if says[0] == MOVED} - called
            called |= previous
            waiting += previous
        return {
            author for name in called for author, _ in self.catalogue.said_of(named_subject(name))
        }

    def images_below(self, collection: str) -> Iterator[str]:
        """Yield what a collection shows, however deep, and what it lists without a record.

        So does what names it, or a collection in it; what is withdrawn shows what it last did. An
        image may come more than once. Raises TransientError.
        """
        journal, entered, level = self.catalogue.journal, {collection}, [collection]
        with ThreadPoolExecutor(THREADS, thread_name_prefix="below") as threads:
            while level:
                read = list(threads.map(lambda name: follow_renames(journal, name), level))
                level = []
                for name, record in read:
                    entered.add(name)
                    if isinstance(record, TakenDown):
                        record = last_described(journal, record)
                    match record:
                        case Described(item=ObjectCollection(members=members)):
                            yield from sorted(used_images(record))
                            new = {one.identifier for one in members} | self.naming(name)
                            new -= entered
                            entered |= new
                            level += sorted(new)
                        case Described():
                            yield from sorted(used_images(record))
                        case None:
                            yield name
