"""When images change, so does what is published of the objects and collections that show them."""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor

from vitrine.catalogue.publisher import Publisher

THREADS = 8
"""Objects that are published at a time, each by five requests of some 20 ms."""


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
