"""Access masters lie in the tiers that the visits leave them in."""

from math import exp

import pytest

from capacity.model.design import Traffic
from capacity.model.image_collection import Popularity
from capacity.plan.storage_tiers import tiers_of
from loadtest.workload.models.viewer_session import ViewerSession

SESSIONS = Traffic(
    images=2_000, megapixels=20, visits_per_day=10, popularity=0.8, options=ViewerSession()
)


def test_the_tiers_are_those_of_the_popularity_law():
    tiers = tiers_of(SESSIONS)
    weights = [(rank + 1) ** -0.8 for rank in range(2_000)]
    unread = [
        sum(exp(-10 * days * one / sum(weights)) for one in weights) / 2_000 for days in (30, 90)
    ]
    assert tiers.frequent == pytest.approx(1 - unread[0], rel=0.01)
    assert tiers.archive == pytest.approx(unread[1], rel=0.01)
    assert tiers.frequent + tiers.infrequent + tiers.archive == pytest.approx(1)


def test_groups_of_ranks_hold_every_rank_once_and_all_of_the_chances():
    groups = list(Popularity(1_000_000, 0.8).groups())
    assert sum(count for count, _ in groups) == 1_000_000
    assert sum(chance for _, chance in groups) == pytest.approx(1)


def test_index_pages_that_show_every_image_keep_all_in_the_first_tier():
    visitors = Traffic(images=100_000, megapixels=25, visits_per_day=2_000)
    assert tiers_of(visitors).frequent == 1
    assert tiers_of(visitors, index_pages=False).frequent < 0.5
