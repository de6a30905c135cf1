"""The checks of an account: each is one finding, with what to do where something is missing."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import Any

from vitrine.account.edge_quotas import compare_edge_use
from vitrine.account.key_policy import find_missing, required_statements
from vitrine.account.needs import NEW_ACCOUNT, Needs
from vitrine.account.own_stacks import find_stacks
from vitrine.account.ports import Account, AccountSilent

NEW_ACCOUNT_MEBIBYTES = 3_008
"""Most memory of a Lambda in an account whose quotas are those of a new one."""
UNRESERVED = 100
"""Concurrency that no function may reserve (Lambda, "Reserved concurrency")."""
FARGATE_VCPUS = ("fargate", "L-3032A538")
"""Service Quotas: "Fargate On-Demand vCPU resource count"."""
PLACEHOLDER = "000000000000"
CERTIFICATE_REGION = "us-east-1"
"""CloudFront uses certificates of this region alone, and its quotas are there."""
COUNTING_DAYS = 14
"""Days in which a firewall that counts has seen what it has to know (docs/howto/
let-the-firewall-block.md)."""


@dataclass(frozen=True, kw_only=True)
class AccountFinding:
    """One line: what was looked at, what was found, and what to do; "": it is as it must be."""

    subject: str
    found: str
    remedy: str = ""
    known: bool = True
    """False: it could not be found out."""

    @property
    def well(self) -> bool:
        """True if nothing is to be done."""
        return self.known and not self.remedy

    def to_document(self) -> dict[str, Any]:
        """Return it for `--json`."""
        return {**asdict(self), "well": self.well}


def check_account(needs: Needs, account: Account, now: datetime) -> Iterator[AccountFinding]:
    """Yield what is found, each as soon as the account has answered."""
    try:
        yield _check_identity(needs, account)
    except AccountSilent as error:
        yield AccountFinding(
            subject="credentials",
            found=str(error),
            remedy="sign in, for example with `aws sso login`, or set AWS_PROFILE",
        )
        return
    for subject, check in _list_checks(needs, account, now):
        try:
            yield check()
        except AccountSilent as error:
            yield AccountFinding(subject=subject, found=str(error), known=False)
    try:
        yield from _check_stacks(needs, account)
    except AccountSilent as error:
        yield AccountFinding(subject="deployed stacks", found=str(error), known=False)
    yield _check_domain(needs)
    yield _check_alarms(needs)
    yield _check_bases(needs)


def _list_checks(
    needs: Needs, account: Account, now: datetime
) -> list[tuple[str, Callable[[], AccountFinding]]]:
    checks: list[tuple[str, Callable[[], AccountFinding]]] = [
        *(
            (f"bootstrap {region}", lambda region=region: _check_bootstrap(needs, account, region))
            for region in needs.regions
        ),
        ("Lambdas at once", lambda: _check_lambdas(needs, account)),
    ]
    if needs.edge_resources:
        checks.append(("CloudFront", lambda: _check_edge(needs, account)))
    if needs.most_vcpus:
        checks.append(("Fargate vCPUs", lambda: _check_fargate(needs, account)))
    if needs.prefix_lists:  # else there is no network
        checks.append(("prefix list", lambda: _prefix_list(needs, account)))
        checks.append(("availability zones", lambda: _check_zones(needs, account)))
    checks.append(("certificate", lambda: _check_certificate(needs, account)))
    for arn in needs.keys:
        checks.append(("key", partial(_check_key, needs, arn, account)))
    if needs.least_vcpus:  # else a Lambda serves the images
        checks.append(("balancer", lambda: _check_balancer(needs, account)))
    if place := needs.counting_firewall:
        checks.append(("firewall", lambda: _check_firewall(*place, account, now)))
    return checks


def _check_stacks(needs: Needs, account: Account) -> Iterator[AccountFinding]:
    """Find what is deployed and no longer in the templates. Raises AccountSilent."""
    subject, own = "deployed stacks", find_stacks(needs, account)
    count = len({*own.deployed} & {*needs.stacks})
    unasked = f"; not allowed to look in {', '.join(own.silent)}" if own.silent else ""
    yield AccountFinding(subject=subject, found=f"{count} of {len(needs.stacks)}{unasked}")
    for region, name in own.left:
        yield AccountFinding(
            subject=subject,
            found=f"{name} in {region} runs on, and no template has it",
            remedy=f"run `vitrine deploy stacks -e {needs.environment} --yes --delete`",
        )


def _check_identity(needs: Needs, account: Account) -> AccountFinding:
    found = account.identity()
    remedy = ""
    if needs.account == PLACEHOLDER:
        remedy = f'write account = "{found}" into environments.toml'
    elif found != needs.account:
        remedy = f"sign in to {needs.account}, or correct the account in environments.toml"
    return AccountFinding(subject="credentials", found=f"of account {found}", remedy=remedy)


def _check_bootstrap(needs: Needs, account: Account, region: str) -> AccountFinding:
    version = account.bootstrap_version(region)
    place = f"aws://{account.identity()}/{region}"
    command = f"npx cdk bootstrap -c environment={needs.environment} {place}"
    found = f"version {version}" if version else "none"
    enough = version is not None and version >= needs.bootstrap_version
    remedy = "" if enough else f"run `{command}` (version {needs.bootstrap_version} or later)"
    return AccountFinding(subject=f"bootstrap {region}", found=found, remedy=remedy)


def _check_lambdas(needs: Needs, account: Account) -> AccountFinding:
    quota = account.concurrency(needs.region)
    remedy = ""
    reserved = sum(needs.reservations.values())
    if reserved and reserved + UNRESERVED > quota:
        by_step = ", ".join(f"{step} {count}" for step, count in needs.reservations.items())
        remedy = (
            f"{reserved} are reserved ({by_step}), and {UNRESERVED} must be left: "
            "write new_account = true into environments.toml, which reserves none, or request "
            f"{reserved + UNRESERVED} in Service Quotas (lambda, L-B99A9384)"
        )
    elif quota < NEW_ACCOUNT and needs.lambda_mebibytes > NEW_ACCOUNT_MEBIBYTES:
        remedy = (
            f"an account with so few has no Lambda of {needs.lambda_mebibytes:,} MB: "
            "write new_account = true into environments.toml"
        )
    return AccountFinding(subject="Lambdas at once", found=f"{quota:,}", remedy=remedy)


def _check_fargate(needs: Needs, account: Account) -> AccountFinding:
    quota = account.quota(needs.region, *FARGATE_VCPUS)
    found = f"{quota:g} of {needs.least_vcpus:g} to {needs.most_vcpus:g} that are needed"
    remedy = ""
    if quota < needs.most_vcpus:
        service, code = FARGATE_VCPUS
        remedy = (
            f"run `aws service-quotas request-service-quota-increase --region {needs.region} "
            f"--service-code {service} --quota-code {code} --desired-value {needs.most_vcpus:g}`"
        )
        if quota >= needs.least_vcpus:
            remedy += "; until then the service starts, and grows less"
    return AccountFinding(subject="Fargate vCPUs", found=found, remedy=remedy)


def _check_edge(needs: Needs, account: Account) -> AccountFinding:
    deployed = Counter[str]()
    for region, stack in needs.edge_stacks:
        deployed.update(account.stack_resources(region, stack))
    uses = list(
        compare_edge_use(
            needs.edge_resources,
            account.edge_resources(),
            deployed,
            lambda code: account.quota(CERTIFICATE_REGION, "cloudfront", code),
        )
    )
    full = [use for use in uses if not use.fits]
    found = ", ".join(use.describe() for use in full or uses)
    remedy = ""
    if full:
        names = ", ".join(use.quota.name for use in full)
        remedy = (
            f"the environment does not fit next to what the account has: request more {names} in "
            "Service Quotas (cloudfront, us-east-1), remove what nobody needs, or deploy it to "
            "another account"
        )
    return AccountFinding(subject="CloudFront", found=found, remedy=remedy)


def _prefix_list(needs: Needs, account: Account) -> AccountFinding:
    found = account.cloudfront_prefix_list(needs.region)
    remedy = ""
    if not found:
        remedy = f"CloudFront reaches no origin in {needs.region}: choose another region"
    elif needs.prefix_lists != (found,):
        remedy = f'write cloudfront_prefix_list_id = "{found}" into environments.toml'
    return AccountFinding(subject="prefix list", found=found or "none", remedy=remedy)


def _check_zones(needs: Needs, account: Account) -> AccountFinding:
    offered = account.zones(needs.region)
    missing = [zone for zone in needs.zones if zone not in offered]
    letters = ", ".join(f'"{zone.removeprefix(needs.region)}"' for zone in offered[:2])
    remedy = f"write zone_letters = [{letters}] into environments.toml" if missing else ""
    found = f"{', '.join(missing)} missing" if missing else ", ".join(needs.zones or offered[:2])
    return AccountFinding(subject="availability zones", found=found, remedy=remedy)


def _check_certificate(needs: Needs, account: Account) -> AccountFinding:
    if not needs.certificate:
        return AccountFinding(
            subject="certificate", found="none, so the service is at CloudFront's own address"
        )
    names = needs.domain_names
    return _look_at_certificate(
        "certificate", needs.certificate, CERTIFICATE_REGION, names, account
    )


def _check_balancer(needs: Needs, account: Account) -> AccountFinding:
    subject, arn = "balancer", needs.balancer_certificate
    if not arn:
        return AccountFinding(subject=subject, found="CloudFront speaks HTTP to it")
    return _look_at_certificate(subject, arn, needs.region, needs.domain_names, account)


def _look_at_certificate(
    subject: str, arn: str, region: str, names: tuple[str, ...], account: Account
) -> AccountFinding:
    certificate = account.certificate(arn, region)
    if certificate is None:
        return AccountFinding(
            subject=subject,
            found=f"{arn} does not exist in {region}",
            remedy=f"request it in {region}, and correct its ARN in environments.toml",
        )
    missing = [name for name in names if not certificate.covers(name)]
    remedy = ""
    if missing:
        remedy = f"request one for {', '.join(missing)}"
    elif certificate.status != "ISSUED":
        remedy = "enter its validation records into the DNS: `aws acm describe-certificate " + (
            f"--region {region} --certificate-arn {arn}`"
        )
    found = f"{certificate.status} for {', '.join(certificate.names)}"
    return AccountFinding(subject=subject, found=found, remedy=remedy)


def _check_key(needs: Needs, arn: str, account: Account) -> AccountFinding:
    region = arn.split(":")[3]
    policy = account.key_policy(arn)
    if policy is None:
        return AccountFinding(
            subject="key",
            found=f"{arn} does not exist, or is disabled",
            remedy="correct its ARN in environments.toml, or enable it",
        )
    missing = find_missing(policy, needs.account, region)
    remedy = ""
    if missing:
        statements = json.dumps(
            [one for one in required_statements(needs.account, region) if one["Sid"] in missing]
        )
        remedy = f"add to its policy: {statements} (docs/howto/use-your-own-key.md)"
    found = f"{arn}: its policy lacks {', '.join(missing)}" if missing else arn
    return AccountFinding(subject="key", found=found, remedy=remedy)


def _check_firewall(region: str, stack: str, account: Account, now: datetime) -> AccountFinding:
    created = [one.created for one in account.stacks(region) if one.name == stack]
    days = (now - created[0]).days if created else 0
    remedy = ""
    if days >= COUNTING_DAYS:
        remedy = (
            'see whom it would block, then write rate_rule_action = "block" into '
            "environments.toml: docs/howto/let-the-firewall-block.md"
        )
    found = f"counts floods for {days} days, and stops none"
    return AccountFinding(subject="firewall", found=found, remedy=remedy)


def _check_domain(needs: Needs) -> AccountFinding:
    found = ", ".join(needs.domain_names) or "CloudFront's own"
    if needs.hosted_zones:
        found += f", entered into the hosted zone {', '.join(needs.hosted_zones)}"
    elif needs.domain_names:
        found += ": after the deployment enter a CNAME to DistributionDomainName into your DNS"
    return AccountFinding(subject="domain", found=found)


def _check_alarms(needs: Needs) -> AccountFinding:
    found = ", ".join(needs.alarm_addresses)
    remedy = "" if found else "write alarm_address into environments.toml: nobody hears the alarms"
    return AccountFinding(subject="alarm address", found=found or "none", remedy=remedy)


def _check_bases(needs: Needs) -> AccountFinding:
    subject = "container bases"
    if not needs.unpinned_images:
        return AccountFinding(subject=subject, found="pinned")
    return AccountFinding(
        subject=subject,
        found=f"none, so that {needs.unpinned_images} images are not built",
        remedy="run `python3 scripts/renew_bases.py`, which pins base image and packages",
    )
