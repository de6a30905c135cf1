"""What a change made outdated, brought up to date apart from it, in slices.

When images change, so does what is published of the objects and collections that show them. Lists
have an object only while somebody may see it. Many images of one object have pages that lead to it,
and the pages of a collection's members say what the collection is called. The one who publishes
announces that (`ObjectChanged`, `PagesOutdated`) before the last write, so that who dies has
announced too much, not too little; a slice ends in time, and announces what it leaves.
"""

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from vitrine.catalogue.live_images import with_present_names
from vitrine.catalogue.pages_of_others import joined_or_left, members_of
from vitrine.catalogue.publisher import Publisher, Publishing
from vitrine.catalogue.records import Described, follow_renames
from vitrine.events import ImagePublished, PagesOutdated
from vitrine.identify.current_names import led_to
from vitrine.records import Live
from vitrine.site.discovery.activities import CREATED, DELETED
from vitrine.slices import Slice
from vitrine.store.publications import Waiting, Withdrawn

CHANGES_OF_LISTS = ("", CREATED, DELETED)
"""Changes of an object, as `ObjectChanged` calls them, after which other lists may show it."""
AT_ONCE = 100
"""Pages between two looks at the clock: in the worst case some seconds."""
THREADS = 8
"""Objects that are published at a time, each by five requests of some 20 ms."""


def publish_changed_images(publisher: Publisher, images: Collection[str]) -> int:
    """Publish every object that shows one of these images, once; return how many changed.

    Then the collections that list an object of which nothing was shown and nothing is: its images
    may be closed now, or were. Then each image has its page: by itself, or leading to an object. So
    has what a name in an object leads to, or did.
    """

    def find_users(image: str) -> set[str]:
        return {*publisher.objects_with(image), *publisher.catalogue.listers(image)}

    with ThreadPoolExecutor(THREADS, thread_name_prefix="objects") as threads:
        found = dict(zip(images, threads.map(find_users, images), strict=True))
        users = sorted(set().union(*found.values()))
        used = [image for image in images if found[image]]
        others = set().union(*led_to(publisher.identifiers, used).values()) - {*images}
        published = list(zip(users, threads.map(publisher.try_publishing, users), strict=True))
        results = [result for _, result in published]
        unseen = {
            name
            for name, result in published
            if result and not result.made and isinstance(result.publication, Waiting | Withdrawn)
        }
        results += publish_lists(publisher, unseen, done=users)
        for _ in threads.map(publisher.try_updating_image, [*images, *sorted(others)]):
            pass
        announce_images(publisher, others)
        return sum(result.made for result in results if result)


def publish_lists(
    publisher: Publisher, objects: Collection[str], done: Collection[str] = ()
) -> list[Publishing | None]:
    """Publish the collections that list one of these, each once, but for those that are `done`."""
    with ThreadPoolExecutor(THREADS, thread_name_prefix="lists") as threads:
        lists = set().union(*threads.map(publisher.catalogue.listers, objects)) - {*done}
        return [*threads.map(publisher.try_publishing, sorted(lists))]


def outdated_by_rules(collection: str) -> PagesOutdated:
    """Return what is outdated when the rule of a collection has changed."""
    return PagesOutdated(identifier=collection, pages="documents", revision=0, since=0)


def update_outdated(publisher: Publisher, outdated: PagesOutdated, time: Slice) -> int:
    """Bring pages up to date while there is time; return of how many images or members.

    What is left is announced. Raises TransientError: the same call again does it all.
    """
    if outdated.pages == "documents":
        return _update_documents(publisher, outdated, time)
    names = _read_names(publisher, outdated)
    remaining = sorted(name for name in names if name > outdated.after)
    update: Callable[[str], object] = publisher.try_updating_image
    if outdated.pages == "members":
        publisher.site_pages.titles.get_all([outdated.identifier], again=True)
        update = _Members(publisher, outdated.identifier).update
    done = 0
    with ThreadPoolExecutor(THREADS, thread_name_prefix="outdated") as threads:
        for batch in time.batches(remaining, AT_ONCE):
            done += len(list(threads.map(update, batch)))
            outdated = replace(outdated, after=batch[-1])
    if done < len(remaining):
        publisher.events.publish(outdated.name(), outdated.detail())
    return done


def _update_documents(publisher: Publisher, outdated: PagesOutdated, time: Slice) -> int:
    """Publish again what shows images in a collection, whose rule has changed."""
    images = publisher.memberships.collections.images_below(outdated.identifier)
    remaining = sorted({one for one in images if one > outdated.after})
    done = 0
    for batch in time.batches(remaining, AT_ONCE):
        concerned = sorted(set().union(*led_to(publisher.identifiers, batch).values()))
        publish_changed_images(publisher, concerned)
        announce_images(publisher, concerned)
        done += len(batch)
        outdated = replace(outdated, after=batch[-1])
    if done < len(remaining):
        publisher.events.publish(outdated.name(), outdated.detail())
    return done


def announce_images(publisher: Publisher, images: Collection[str]) -> None:
    """Let the first page know that images are shown otherwise. Raises TransientError."""
    found = publisher.identifiers.get_many(images).values()
    events = [ImagePublished.of(one).detail() for one in found if isinstance(one, Live)]
    if events:
        publisher.events.publish_many(ImagePublished.name(), events)


def try_updating_outdated(publisher: Publisher, outdated: PagesOutdated, time: Slice) -> None:
    """Bring pages up to date, as above, among those of other objects and collections.

    One whose own record stops it is recorded as left out. Raises TransientError.
    """
    publisher.omissions.attempt(
        outdated.identifier,
        lambda: update_outdated(publisher, outdated, time),
        0,
        is_all=False,
    )
    publisher.omissions.store()


def _read_names(publisher: Publisher, outdated: PagesOutdated) -> Collection[str]:
    journal, identifier = publisher.journal, outdated.identifier
    record = journal.entry(identifier, outdated.revision)
    assert record, "it was published"
    if outdated.pages == "images":
        names = joined_or_left(journal, record, outdated.since)
        return with_present_names(publisher.shown, names, {})
    return members_of(record) | members_of(journal.entry(identifier, outdated.since))


class _Members:
    """The members of a collection, whose pages say what it is called."""

    def __init__(self, publisher: Publisher, collection: str) -> None:
        self._publisher = publisher
        self._collection = collection

    def update(self, member: str) -> None:
        """Compare the pages of a member that says that it is part of the collection."""
        publisher = self._publisher

        def publish() -> None:
            match follow_renames(publisher.journal, member):
                case name, Described(item=item) if self._collection in item.part_of:
                    publisher.publish(name, with_pages=True)

        publisher.omissions.attempt(member, publish, None, is_all=False)
        publisher.omissions.store()
