"""What searches inside objects work with."""

from functools import cache

from vitrine.api.search_inside import InsideServices
from vitrine.bootstrap.site import site_and_base
from vitrine.present.across.search import Across
from vitrine.present.inside.stored import StoredIndexes


@cache
def inside_services() -> InsideServices:
    """Return the services of a Lambda."""
    site, base = site_and_base()
    indexes = StoredIndexes(site)
    return InsideServices(site, indexes, Across(site, indexes), base)
