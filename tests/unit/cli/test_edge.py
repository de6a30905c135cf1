"""`vitrine edge invalidate`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from vitrine.adapters.memory.edge_cache import ALL_IMAGES, MemoryEdgeCache
from vitrine.edge.invalidation import InvalidateServices
from vitrine.store.layout import cache_tag, manifest_tag

Run = Callable[..., Result]


def tags_of(identifier: str) -> list[str]:
    """Those of its images, and of an object with the same identifier."""
    return sorted([cache_tag(identifier), manifest_tag(identifier)])


@pytest.fixture
def edge(monkeypatch: pytest.MonkeyPatch) -> MemoryEdgeCache:
    """The edge of the service."""
    cache = MemoryEdgeCache()
    monkeypatch.setattr(
        "vitrine.cli.edge.deployed_invalidate_services",
        lambda environment: InvalidateServices(edge=cache),
    )
    return cache


def test_named_images_are_dropped(edge: MemoryEdgeCache, run: Run, picture: Path) -> None:
    run("ingest", picture)
    result = run("edge", "invalidate", "nacht wache")
    assert (result.exit_code, edge.dropped) == (0, [tags_of("nacht wache")])
    assert "The edge forgets them within seconds (I1)." in result.stdout


def test_an_unknown_name_is_reported_and_dropped_all_the_same(
    edge: MemoryEdgeCache, run: Run
) -> None:
    result = run("edge", "invalidate", "cafe\u0301", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {"invalidations": ["I1"], "unknown": ["caf\u00e9"]}
    assert edge.dropped == [tags_of("caf\u00e9")]


def test_all_images_are_dropped_by_one_request(edge: MemoryEdgeCache, run: Run) -> None:
    assert run("edge", "invalidate", "--all").exit_code == 0
    assert edge.dropped == [[ALL_IMAGES]]


@pytest.mark.parametrize("arguments", [(), ("a", "--all"), ("info.json",)])
def test_a_wrong_wish_drops_nothing(
    edge: MemoryEdgeCache, run: Run, arguments: tuple[str, ...]
) -> None:
    assert run("edge", "invalidate", *arguments).exit_code == 2
    assert edge.dropped == []
