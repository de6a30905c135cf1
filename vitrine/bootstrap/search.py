"""What searches inside objects work with."""

from functools import cache

from vitrine.api.content_search import ContentSearchServices
from vitrine.bootstrap.site import site_and_base
from vitrine.search.content.stored import StoredIndexes
from vitrine.search.full_text.search import FullTextSearch


@cache
def content_search_services() -> ContentSearchServices:
    """Return the services of a Lambda."""
    site, base = site_and_base()
    indexes = StoredIndexes(site)
    return ContentSearchServices(site, indexes, FullTextSearch(site, indexes), base)
