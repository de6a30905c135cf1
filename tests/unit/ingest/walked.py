"""Walks of the reconciler over masters that a test follows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.unit.ingest.followed_masters import FollowedMasters
from vitrine.adapters.memory.messaging import MemoryQueue
from vitrine.ingest.repair.reconciler import ReconcileServices, walk_through
from vitrine.ingest.start.throttle import Throttle
from vitrine.ingest.start.upload_hints import StarterServices

LATER = datetime.now(UTC) + timedelta(days=2)
"""Time at which everything that runs in these tests must have ended."""
TIMEOUT = 7_200


def walk(followed: FollowedMasters) -> dict[str, int]:
    """Long after all that happened; what it found, less what it found nothing of."""
    return walk_at(followed, datetime(2200, 1, 1, tzinfo=UTC))


def walk_at(
    followed: FollowedMasters,
    moment: datetime | None = None,
    *,
    dry_run: bool = False,
    asks_for_access_masters: bool = False,
    renews_access_masters: bool = False,
) -> dict[str, int]:
    """Now, or at another moment."""
    services = reconciler(followed)
    rules = services.rules(moment or datetime.now(UTC), dry_run=dry_run)
    rules = replace(
        rules,
        asks_for_access_masters=asks_for_access_masters,
        renews_access_masters=renews_access_masters,
    )
    counts = walk_through(services, rules, wait=lambda: False)
    return {name: count for name, count in counts.items() if count}


def reconciler(followed: FollowedMasters, at_once: int = 0, **ports: Any) -> ReconcileServices:
    """What a walk works with; `ports` take the place of the followed's own."""
    services = replace(followed.services, **ports)
    throttle = Throttle(services.pipeline, at_once=at_once, starters=1)
    starter = StarterServices(ingest=services, uploads=MemoryQueue(), throttle=throttle)
    return ReconcileServices(
        starter=starter, notifications=MemoryQueue(), execution_timeout_seconds=TIMEOUT
    )


def pages(followed: FollowedMasters, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """Let listings have pages of a number of keys."""
    list_keys = followed.masters.list_keys
    monkeypatch.setattr(followed.masters, "list_keys", lambda after="": list_keys(after, limit))
