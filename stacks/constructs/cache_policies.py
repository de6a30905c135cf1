"""What the edge keeps, for how long, and by what key: the path, and nothing else."""

from aws_cdk import Duration
from aws_cdk import aws_cloudfront as cloudfront
from constructs import Construct

from vitrine.settings import DeliverSettings


def _default(name: str) -> int:
    value = DeliverSettings.__dataclass_fields__[name].default
    assert isinstance(value, int)
    return value


# Stale answers are served while revalidating only below the policy's maximum.
IMAGE_MAXIMUM = Duration.seconds(2 * _default("edge_max_age_seconds"))
SITE_MAXIMUM = Duration.hours(1)


def path_only(
    scope: Construct, id_: str, *, default: Duration, maximum: Duration, compressed: bool
) -> cloudfront.CachePolicy:
    """`compressed`: the edge may gzip, and keeps one copy per encoding; images gain nothing."""
    return cloudfront.CachePolicy(
        scope,
        id_,
        min_ttl=Duration.seconds(0),
        default_ttl=default,
        max_ttl=maximum,
        query_string_behavior=cloudfront.CacheQueryStringBehavior.none(),
        header_behavior=cloudfront.CacheHeaderBehavior.none(),
        cookie_behavior=cloudfront.CacheCookieBehavior.none(),
        enable_accept_encoding_gzip=compressed,
        enable_accept_encoding_brotli=compressed,
    )
