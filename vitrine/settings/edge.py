"""Settings of what stands at the edge: its invalidation, and the services of access."""

from dataclasses import dataclass

from vitrine.settings.declaration import Settings, setting


@dataclass(frozen=True, kw_only=True)
class InvalidateSettings(Settings):
    """What the Lambda that invalidates the edge needs."""

    distribution_id: str = setting(
        "CloudFront distribution. On one machine, the cache of the edge's nginx stands for it.",
        wiring=True,
    )


@dataclass(frozen=True, kw_only=True)
class AccessOptions(Settings):
    """What an operator may choose about access to restricted images."""

    audit_subjects: str = setting(
        "What the record of an admission says of somebody who signed in: hashed (a hash whose key "
        "changes every day, so that nobody can be recognised tomorrow), none.",
        "hashed",
        choices=("hashed", "none"),
    )


@dataclass(frozen=True, kw_only=True)
class AuthorizationSettings(AccessOptions):
    """What the Lambda needs that lets people in to restricted images."""

    records_bucket: str = setting(
        "Bucket of the table of rights and of the keys of tickets.", wiring=True
    )
    identifiers_table: str = setting("DynamoDB table of identifiers.", wiring=True)
    uses_table: str = setting("DynamoDB table that counts the uses of each way in.", wiring=True)
    public_base_url: str = setting(
        "Scheme and host of the services' addresses; empty: the Host header decides.",
        "",
        derived_from="domain_name",
    )


@dataclass(frozen=True, kw_only=True)
class McpSettings(Settings):
    """What the Lambda needs that answers programs which speak MCP."""

    public_base_url: str = setting(
        "Scheme and host at which it reads, as a visitor does; empty: those of the edge on one "
        "machine.",
        "",
        derived_from="domain_name",
    )
