"""When images change, so does what is published of the objects and collections that show them."""

from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor

from vitrine.catalogue.publisher import Publisher
from vitrine.events import ImageChanged
from vitrine.identify.journal import Journal
from vitrine.records import Redirect

RECENT = 3
"""Changes among which one from or to a redirect counts: the event of the last may be lost."""
THREADS = 8
"""Objects that are published at a time, each by five requests of some 20 ms."""


def renew_rules(publisher: Publisher, changes: Iterable[ImageChanged]) -> None:
    """Give images the rules of what names them by identifiers that lead elsewhere now.

    What has had one change was no redirect before: thousands of names get a rule of a collection
    before they have an image. An image that is uploaded has the rule that it found, which may be a
    redirect's of long ago. Raises TransientError.
    """
    if not publisher.rules.collections.names():
        return
    journal = Journal(publisher.records)

    def renew(change: ImageChanged) -> None:
        if change.state == "redirect" or was_redirect(change):
            publisher.rules.renew(change.identifier)

    def try_renewing(change: ImageChanged) -> None:
        publisher.rules.omissions.attempt(change.identifier, lambda: renew(change), None)

    def was_redirect(change: ImageChanged) -> bool:
        revisions = range(change.revision - 1, max(change.revision - RECENT, 0), -1)
        entries = (journal.entry(change.identifier, revision) for revision in revisions)
        return any(isinstance(entry, Redirect) for entry in entries)

    turned = {one for one in changes if one.state == "redirect" or one.revision > 1}
    with ThreadPoolExecutor(THREADS, thread_name_prefix="renewed") as threads:
        for _ in threads.map(try_renewing, turned):
            pass
    publisher.rules.omissions.store()


def publish_changed_images(publisher: Publisher, images: Collection[str]) -> int:
    """Publish every object that shows one of these images, once; return how many changed.

    Then the collections that list an object which is shown now, and was not before, or the reverse.
    Then each image has its page: by itself, or leading to an object.
    """

    def find_users(image: str) -> set[str]:
        return {*publisher.objects_with(image), *publisher.collections_with(image)}

    with ThreadPoolExecutor(THREADS, thread_name_prefix="objects") as threads:
        users = sorted(set().union(*threads.map(find_users, images)))
        published = list(zip(users, threads.map(publisher.try_publishing, users), strict=True))
        turned = [name for name, result in published if result and result.may_change_lists]
        lists = set().union(*threads.map(publisher.collections_with, turned)) - {*users}
        results = [result for _, result in published]
        results += threads.map(publisher.try_publishing, sorted(lists))
        for _ in threads.map(publisher.try_updating_image, images):
            pass
        return sum(result.made for result in results if result)
