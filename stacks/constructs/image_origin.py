"""What the stacks around image delivery need of what serves the images, tasks or a Lambda."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudwatch as cloudwatch

from stacks.constructs.service_alarms import OriginAlarm


class ImageOrigin(Protocol):
    """Where the edge sends requests for images; a flavour decides which one is deployed."""

    @property
    def forwarded_headers(self) -> Sequence[str]:
        """Headers of a request at the edge that it needs, next to those of the cache key."""
        ...

    @property
    def log_names(self) -> Mapping[str, str]:
        """Beginnings of the ids of its log groups, by the names in `log_queries`."""
        ...

    @property
    def outputs(self) -> Mapping[str, str]:
        """Outputs of the stack that it is in."""
        ...

    def origin(self) -> cloudfront.IOrigin:
        """Return it as an origin of the distribution."""
        ...

    def alarms(self) -> Sequence[OriginAlarm]:
        """Return the alarms that only it has."""
        ...

    def widgets(self) -> list[cloudwatch.IWidget]:
        """Return its row of the dashboard."""
        ...
