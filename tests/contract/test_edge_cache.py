"""What every EdgeCache promises: in memory, nginx's folder, the emulator's CloudFront."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.edge_cache import CloudFrontEdgeCache
from vitrine.adapters.memory.edge_cache import ALL_MANIFESTS, MemoryEdgeCache
from vitrine.adapters.nginx.edge_cache import NginxEdgeCache
from vitrine.ports import EdgeCache

TAGS = ("i-aa", "i-bb", "i-cc", "o-aa")
MANIFEST_TAGS = ("o-aa",)


class Edge:
    """One kind of cache, and a way to see what it dropped."""

    def __init__(self, cache: EdgeCache) -> None:
        self.cache = cache

    def dropped(self) -> set[str]:
        """Return those of `TAGS` that are no longer cached."""
        raise NotImplementedError


class MemoryEdge(Edge):
    def dropped(self) -> set[str]:
        assert isinstance(self.cache, MemoryEdgeCache)
        dropped = {tag for tags in self.cache.dropped for tag in tags}
        if ALL_MANIFESTS in dropped:
            return set(MANIFEST_TAGS)
        return set(TAGS) if "*" in dropped else dropped & set(TAGS)


class NginxEdge(Edge):
    """A cache folder as nginx writes it."""

    def __init__(self, directory: Path) -> None:
        super().__init__(NginxEdgeCache(directory))
        self._cache = directory / "cache"
        for number, tag in enumerate(TAGS):
            path = self._file(tag)
            path.parent.mkdir(parents=True, exist_ok=True)
            head = b"HTTP/1.1 200 OK\r\nCache-Tag: " + tag.upper().encode() + b"\r\n\r\n"
            path.write_bytes(b"\x05" * 300 + b"\nKEY: /iiif/3/a\n" + head + b"x" * number)

    def _file(self, tag: str) -> Path:
        return self._cache / tag[-1] / tag

    def dropped(self) -> set[str]:
        return {tag for tag in TAGS if not self._file(tag).exists()}


class CloudFrontEdge(Edge):
    """The emulator caches nothing, but lists its invalidations."""

    def __init__(self, client: Any) -> None:
        self._client = client
        origin = {
            "Id": "o",
            "DomainName": "example.org",
            "S3OriginConfig": {"OriginAccessIdentity": ""},
        }
        made = client.create_distribution(
            DistributionConfig={
                "CallerReference": str(uuid4()),
                "Comment": "",
                "Enabled": True,
                "Origins": {"Quantity": 1, "Items": [origin]},
                "DefaultCacheBehavior": {
                    "TargetOriginId": "o",
                    "ViewerProtocolPolicy": "https-only",
                    "CachePolicyId": "658327ea-f89d-4fab-a63d-7e88639e58f6",
                },
            }
        )
        self._id = made["Distribution"]["Id"]
        super().__init__(CloudFrontEdgeCache(client, self._id))

    def dropped(self) -> set[str]:
        listing = self._client.list_invalidations(DistributionId=self._id)["InvalidationList"]
        items: set[str] = set()
        for entry in listing.get("Items", []):
            invalidation = self._client.get_invalidation(DistributionId=self._id, Id=entry["Id"])
            items |= set(invalidation["Invalidation"]["InvalidationBatch"]["Paths"]["Items"])
        if items == {"/presentation/*", "/inside/*"}:
            return set(MANIFEST_TAGS)
        return set(TAGS) if "/iiif/*" in items else {tag for tag in TAGS if f"#{tag}" in items}


@pytest.fixture(params=["memory", "nginx", "emulator"])
def edge(request: pytest.FixtureRequest) -> Edge:
    """An edge that keeps something of each of `TAGS`."""
    match request.param:
        case "memory":
            return MemoryEdge(MemoryEdgeCache())
        case "nginx":
            return NginxEdge(request.getfixturevalue("tmp_path"))
        case _:
            cloud: AwsAccess = request.getfixturevalue("cloud")
            return CloudFrontEdge(cloud.client("cloudfront"))


def test_what_carries_one_of_the_tags_is_dropped_and_nothing_else(edge: Edge) -> None:
    assert edge.dropped() == set()
    assert edge.cache.invalidate(["i-bb", "i-aa"], "r1")
    assert edge.dropped() == {"i-aa", "i-bb"}


def test_the_same_may_be_asked_again(edge: Edge) -> None:
    edge.cache.invalidate(["i-aa"], "r1")
    edge.cache.invalidate(["i-aa"], "r1")
    edge.cache.invalidate(["i-aa"], "r2")
    assert edge.dropped() == {"i-aa"}


def test_all_images_are_dropped_at_once(edge: Edge) -> None:
    assert edge.cache.invalidate_all_images("r1")
    assert edge.dropped() == set(TAGS)


def test_all_manifests_are_dropped_at_once_and_no_image_is(edge: Edge) -> None:
    assert edge.cache.invalidate_all_manifests("r1")
    assert edge.dropped() == set(MANIFEST_TAGS)
