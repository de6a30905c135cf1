"""Copies of what cannot be made again, for an environment that keeps some elsewhere."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Replica:
    """Masters and records in a second region, each version within minutes of its upload."""

    region: str
    key_arn: str | None = None
    """A KMS key of yours in that region, if the environment has a `key_arn`."""
    locked_days: int = 0
    """Days for which no version of a copy can be deleted (S3 Object Lock). 0: not locked."""
    lock: Literal["governance", "compliance"] = "governance"
    """Mode of the lock: with governance anyone who has s3:BypassGovernanceRetention may lift it,
    with compliance nobody, not even AWS, so that the copies are paid for until it ends."""


@dataclass(frozen=True, kw_only=True)
class Backup:
    """Daily backups by AWS Backup, in a vault in which nobody can delete them before their time."""

    days: int = 35
    """Days for which a backup is kept."""
    masters: bool = False
    """True: masters too, which costs ten times what they cost in the bucket; else the table of
    identifiers and the bucket of records."""
