"""An account in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vitrine.account.ports import AccountSilent, Certificate, DeployedStack


@dataclass
class MemoryAccount:
    """An account with what is put into it; `refused` names the methods that AWS refuses."""

    number: str = "000000000000"
    bootstraps: dict[str, int] = field(default_factory=dict)
    lambdas: int = 1_000
    quotas: Mapping[tuple[str, str], float] = field(default_factory=dict)
    edge: Mapping[str, int] = field(default_factory=dict)
    resources: Mapping[tuple[str, str], Mapping[str, int]] = field(default_factory=dict)
    """Numbers of resources by type, of each region and stack."""
    prefix_lists: dict[str, str] = field(default_factory=dict)
    zone_letters: str = "abc"
    certificates: dict[tuple[str, str], Certificate] = field(default_factory=dict)
    deployed: dict[str, tuple[DeployedStack, ...]] = field(default_factory=dict)
    """Stacks by region; the account can use these regions."""
    templates: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    """Templates of stacks, by region and name; of others, an empty one."""
    key_policies: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """Policies of KMS keys, by their ARNs."""
    refused: frozenset[str] = frozenset()

    def identity(self) -> str:
        """Return the twelve digits of the account."""
        self._check_refused("identity")
        return self.number

    def bootstrap_version(self, region: str) -> int | None:
        """Return the version of the CDK's bootstrap stack in a region, None without one."""
        self._check_refused("bootstrap_version")
        return self.bootstraps.get(region)

    def regions(self) -> tuple[str, ...]:
        """Return the names of the regions that the account can use."""
        self._check_refused("regions")
        return tuple(sorted(self.deployed))

    def stacks(self, region: str) -> tuple[DeployedStack, ...]:
        """Return all stacks in a region."""
        self._check_refused("stacks")
        self._check_refused(f"stacks {region}")
        return self.deployed.get(region, ())

    def template(self, region: str, stack: str) -> Mapping[str, Any]:
        """Return the template that a stack was deployed with."""
        self._check_refused("template")
        return self.templates.get((region, stack), {})

    def delete_stack(self, region: str, stack: str) -> None:
        """Delete a stack."""
        self._check_refused("delete_stack")
        left = (one for one in self.deployed[region] if one.name != stack)
        self.deployed[region] = tuple(left)

    def concurrency(self, region: str) -> int:
        """Return how many Lambdas may run at the same time."""
        self._check_refused("concurrency")
        return self.lambdas

    def quota(self, region: str, service: str, code: str) -> float:
        """Return the value of a quota as Service Quotas has it."""
        self._check_refused("quota")
        return self.quotas[service, code]

    def edge_resources(self) -> Mapping[str, int]:
        """Return the number of CloudFront's resources that have a quota, by type."""
        self._check_refused("edge_resources")
        return self.edge

    def stack_resources(self, region: str, stack: str) -> Mapping[str, int]:
        """Return the number of a stack's resources by type; nothing for one that does not exist."""
        self._check_refused("stack_resources")
        return self.resources.get((region, stack), {})

    def cloudfront_prefix_list(self, region: str) -> str:
        """Return the prefix list of CloudFront's addresses towards origins, "" if none."""
        self._check_refused("cloudfront_prefix_list")
        return self.prefix_lists.get(region, "")

    def zones(self, region: str) -> tuple[str, ...]:
        """Return the names of the availability zones that can be used."""
        self._check_refused("zones")
        return tuple(f"{region}{letter}" for letter in self.zone_letters)

    def key_policy(self, arn: str) -> Mapping[str, Any] | None:
        """Return the policy of a KMS key, None unless it exists and is enabled."""
        self._check_refused("key_policy")
        return self.key_policies.get(arn)

    def certificate(self, arn: str, region: str) -> Certificate | None:
        """Return a certificate, None if there is no such one in that region."""
        self._check_refused("certificate")
        return self.certificates.get((arn, region))

    def _check_refused(self, method: str) -> None:
        if method in self.refused:
            raise AccountSilent(f"AWS did not say: AccessDenied ({method})")
