"""The port to an AWS account that is asked what it has."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from vitrine.errors import VitrineError


class AccountSilent(VitrineError):
    """AWS gave no answer: nobody is signed in, it refused, or it cannot be reached."""


class StackStays(VitrineError):
    """A stack was not deleted; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """A certificate, and the names that it is for."""

    status: str
    names: tuple[str, ...]

    def covers(self, name: str) -> bool:
        """Return True if a host of this name may show it; `*` stands for one label (RFC 6125)."""
        _, _, domain = name.partition(".")
        return name in self.names or f"*.{domain}" in self.names


@dataclass(frozen=True, kw_only=True)
class DeployedStack:
    """A stack that exists, whatever state it is in."""

    name: str
    created: datetime
    """Moment at which its first deployment began."""


class Account(Protocol):
    """An account, which answers with the credentials of the signed-in user.

    Every method may raise `AccountSilent`.
    """

    def identity(self) -> str:
        """Return the twelve digits of the account."""

    def bootstrap_version(self, region: str) -> int | None:
        """Return the version of the CDK's bootstrap stack in a region, None without one."""

    def regions(self) -> tuple[str, ...]:
        """Return the names of the regions that the account can use."""

    def stacks(self, region: str) -> tuple[DeployedStack, ...]:
        """Return all stacks in a region."""

    def template(self, region: str, stack: str) -> Mapping[str, Any]:
        """Return the template that a stack was deployed with."""

    def delete_stack(self, region: str, stack: str) -> None:
        """Delete a stack, protected or not, and wait until it is gone. Raises StackStays."""

    def concurrency(self, region: str) -> int:
        """Return how many Lambdas may run at the same time."""

    def quota(self, region: str, service: str, code: str) -> float:
        """Return the value of a quota as Service Quotas has it."""

    def edge_resources(self) -> Mapping[str, int]:
        """Return the number of CloudFront's resources that have a quota, by type."""

    def stack_resources(self, region: str, stack: str) -> Mapping[str, int]:
        """Return the number of a stack's resources by type; nothing for one that does not exist."""

    def cloudfront_prefix_list(self, region: str) -> str:
        """Return the prefix list of CloudFront's addresses towards origins, "" if none."""

    def zones(self, region: str) -> tuple[str, ...]:
        """Return the names of the availability zones that can be used."""

    def key_policy(self, arn: str) -> Mapping[str, Any] | None:
        """Return the policy of a KMS key, None unless it exists and is enabled."""

    def certificate(self, arn: str, region: str) -> Certificate | None:
        """Return a certificate, None if there is no such one in that region."""
