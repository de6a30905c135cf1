"""CloudFront's cache: invalidations of a distribution whose origin sends `Cache-Tag`.

CloudFront Developer Guide, "Invalidating content by cache tags": an item `#tag` drops every object
with the tag, whatever its path. Items begin with `/` otherwise.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

from vitrine.adapters.aws.errors import translate_errors

if TYPE_CHECKING:
    from mypy_boto3_cloudfront import CloudFrontClient

ALL_MANIFESTS = ["/presentation/*", "/inside/*"]
"""With the searches inside their objects, whose answers have the words of pages."""
ALL_IMAGES = ["/iiif/*", "/restricted/*", *ALL_MANIFESTS]
"""With their manifests, and what is found in them."""


class CloudFrontEdgeCache:
    """The cache of one distribution."""

    def __init__(self, client: "CloudFrontClient", distribution_id: str) -> None:
        self._client = client
        self._distribution_id = distribution_id

    def invalidate(self, tags: Collection[str], reference: str) -> str:
        return self._create_invalidation([f"#{tag}" for tag in sorted(tags)], reference)

    def invalidate_all_images(self, reference: str) -> str:
        """Use four wildcards; of these, CloudFront allows fifteen in progress."""
        return self._create_invalidation(ALL_IMAGES, reference)

    def invalidate_all_manifests(self, reference: str) -> str:
        return self._create_invalidation(ALL_MANIFESTS, reference)

    def _create_invalidation(self, items: list[str], reference: str) -> str:
        with translate_errors(self._distribution_id):
            answer = self._client.create_invalidation(
                DistributionId=self._distribution_id,
                InvalidationBatch={
                    "Paths": {"Quantity": len(items), "Items": items},
                    "CallerReference": reference,
                },
            )
        return answer["Invalidation"]["Id"]
