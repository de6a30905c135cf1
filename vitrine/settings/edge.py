"""Settings of the invalidation of the edge."""

from dataclasses import dataclass

from vitrine.settings.declaration import Settings, setting


@dataclass(frozen=True, kw_only=True)
class InvalidateSettings(Settings):
    """What the Lambda that invalidates the edge needs."""

    distribution_id: str = setting(
        "CloudFront distribution. On one machine, the cache of the edge's nginx stands for it.",
        wiring=True,
    )
