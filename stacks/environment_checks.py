"""What is wrong with an environment: each a sentence that says what to change."""

import re

from stacks.department_checks import check_departments
from stacks.environment_values import PLACEHOLDER_ACCOUNT, EnvironmentValues
from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.text.ocr_results.languages import split_languages

UNRESERVED = 100
"""Concurrency that AWS keeps for functions that reserve none (Lambda, "Reserved concurrency")."""
MIN_CACHE_MEBIBYTES = 1024
"""With less, the gateway would read the same blocks from S3 over and over."""
LAMBDA_MEGAPIXELS = 2_000
"""Larger masters are converted by a Fargate task or not at all."""
MAX_WATCH_HOURS = 7 * 24 - 1
"""Hours between two runs of the reconciler whose absence an alarm can see; CloudWatch looks back
seven days ("Evaluating an alarm"), and one hour is for a run that comes late."""
LOG_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557)
"""Some of the retentions that CloudWatch Logs offers (PutRetentionPolicy); it has longer ones."""

_ORIGIN = r"(\*|'self'|https?://(\*\.)?[A-Za-z0-9.-]+(:([0-9]+|\*))?)"
_FRAME_ANCESTORS = re.compile(rf"'none'|{_ORIGIN}( {_ORIGIN})*")
"""Content Security Policy Level 3, section 6.4.2."""
_CERTIFICATE = re.compile(r"arn:aws:acm:us-east-1:[0-9]{12}:certificate/.+")


def check_environment(environment: EnvironmentValues) -> None:
    """Raise ValueError, with a sentence, for values that no deployment survives."""
    IdentifierRule(environment.ingest.identifier_pattern)
    _check_place(environment)
    _check_copies(environment)
    _check_names(environment)
    _check_balancer(environment)
    _check_keys(environment)
    _check_sizes(environment)
    _check_concurrency(environment)
    _check_ocr(environment)
    _check_addresses(environment)
    check_departments(environment)
    if environment.photos and not environment.api:
        raise ValueError("photos: the photo door needs the api, which signs forms")
    if environment.photos and environment.image_function and not environment.photo_function:
        raise ValueError("photos: without image tasks, the photo door needs a photo_function")
    if environment.api and environment.api.access == "jwt":
        if not re.fullmatch(r"https://[^\s/]+(/\S*)?", environment.api.issuer):
            raise ValueError('api: access = "jwt" needs issuer, the https address of who issues')
        if not environment.api.audience:
            raise ValueError('api: access = "jwt" needs audience, such as ["vitrine"]')
    _check_desk(environment)
    _check_proposals(environment)
    _check_mcp(environment)


def _check_place(environment: EnvironmentValues) -> None:
    if not re.fullmatch(r"[0-9]{12}", environment.account):
        raise ValueError(f"account must be twelve digits in quotes, not {environment.account!r}")
    if len(set(environment.zone_letters)) < 2:
        raise ValueError("an application load balancer needs two availability zones")
    if environment.vpc and len(environment.vpc.subnet_ids) != len(environment.zone_letters):
        raise ValueError("an existing VPC needs one subnet per availability zone")
    if environment.endpoint_zones > len(environment.zone_letters):
        raise ValueError(
            f"endpoint_zones={environment.endpoint_zones} is more than there are zone_letters"
        )
    if not environment.has_prefix_list:
        raise ValueError(
            f"CloudFront's prefix list in {environment.region} is not known here. Set "
            "cloudfront_prefix_list_id to what this prints: aws ec2 describe-managed-prefix-lists "
            f"--region {environment.region} --filters Name=prefix-list-name,"
            "Values=com.amazonaws.global.cloudfront.origin-facing "
            "--query 'PrefixLists[].PrefixListId' --output text"
        )


def _check_keys(environment: EnvironmentValues) -> None:
    replica, keys = environment.replica, {environment.region: environment.key_arn}
    if replica:
        keys[replica.region] = replica.key_arn
        if bool(replica.key_arn) != bool(environment.key_arn):
            raise ValueError(
                "key_arn and replica.key_arn go together: a key encrypts in one region"
            )
    for region, arn in keys.items():
        if arn and not re.fullmatch(rf"arn:aws:kms:{region}:[0-9]{{12}}:key/[\w-]+", arn):
            raise ValueError(f"key_arn must be the ARN of a KMS key in {region}, not {arn!r}")


def _check_copies(environment: EnvironmentValues) -> None:
    replica, backup = environment.replica, environment.backup
    if replica and replica.region == environment.region:
        raise ValueError(f"replica.region must be another region than {environment.region}")
    if replica and replica.locked_days < 0:
        raise ValueError("replica.locked_days must be a number of days, or 0 for no lock")
    if backup and backup.days < 1:
        raise ValueError("backup.days must be at least 1")


def _check_names(environment: EnvironmentValues) -> None:
    if not _FRAME_ANCESTORS.fullmatch(environment.frame_ancestors):
        raise ValueError(
            "frame_ancestors must be 'none' (with the quotes), or some of 'self', * and "
            f"origins such as https://www.example.org, with a space between; not "
            f"{environment.frame_ancestors!r}"
        )
    if bool(environment.domain_name) != bool(environment.certificate_arn):
        raise ValueError("domain_name and certificate_arn go together")
    if environment.hosted_zone_id and not environment.domain_name:
        raise ValueError("hosted_zone_id needs domain_name, the name that is entered into it")
    if environment.certificate_arn and not _CERTIFICATE.fullmatch(environment.certificate_arn):
        raise ValueError(
            "certificate_arn must be the ARN of a certificate in us-east-1, where CloudFront looks "
            f"for it, not {environment.certificate_arn!r}"
        )
    real = environment.account != PLACEHOLDER_ACCOUNT
    if environment.protected and real and not environment.certificate_arn:
        raise ValueError(
            f"{environment.name} is protected, so it needs domain_name and certificate_arn: "
            "CloudFront's own domain takes TLS 1.0, whatever one sets. AWS Certificate Manager "
            "makes the certificate, in us-east-1"
        )
    if environment.reconcile_hours > MAX_WATCH_HOURS:
        raise ValueError(
            f"reconcile_hours={environment.reconcile_hours} is too long for the alarm that sees "
            f"when no run began: it looks back {MAX_WATCH_HOURS} hours at most"
        )
    if environment.log_days not in LOG_DAYS:
        known = ", ".join(map(str, LOG_DAYS))
        raise ValueError(f"log_days must be one of {known}, not {environment.log_days}")


def _check_balancer(environment: EnvironmentValues) -> None:
    """Check that CloudFront can speak TLS to the balancer of what is protected."""
    certificate, region = environment.balancer_certificate_arn, environment.region
    if certificate and not environment.domain_name:
        raise ValueError("balancer_certificate_arn needs domain_name, the name that it is for")
    if certificate and not re.fullmatch(
        rf"arn:aws:acm:{region}:[0-9]{{12}}:certificate/.+", certificate
    ):
        raise ValueError(
            "balancer_certificate_arn must be the ARN of a certificate in the balancer's region, "
            f"{region}, not {certificate!r}"
        )
    is_real = environment.account != PLACEHOLDER_ACCOUNT
    if environment.protected and is_real and not (certificate or environment.image_function):
        raise ValueError(
            f"{environment.name} is protected, so it needs balancer_certificate_arn: tickets of "
            "restricted images travel from CloudFront to the balancer. AWS Certificate Manager "
            f"makes the certificate for domain_name, in {region}"
        )


def _check_addresses(environment: EnvironmentValues) -> None:
    """Check that somebody hears the alarms of what is protected."""
    is_real = environment.account != PLACEHOLDER_ACCOUNT
    if environment.protected and is_real and not environment.alarm_address:
        raise ValueError(
            f"{environment.name} is protected, so it needs alarm_address: without it, alarms ring "
            "where nobody hears them"
        )
    if environment.monthly_budget_dollars < 0:
        raise ValueError("monthly_budget_dollars must be 0 (no budget) or more")


def _check_sizes(environment: EnvironmentValues) -> None:
    if environment.cache_mebibytes < MIN_CACHE_MEBIBYTES:
        raise ValueError(
            f"image_task.disk_gibibytes={environment.image_task.disk_gibibytes} leaves "
            f"{environment.cache_mebibytes:,} MiB for access masters; "
            f"give the task more disk, at least {MIN_CACHE_MEBIBYTES:,} MiB must be left"
        )
    memory = environment.image_task.memory_mebibytes
    if environment.answer_memory_mebibytes > memory:
        raise ValueError(
            f"deliver.derivative_cache_mebibytes and tile_cache_mebibytes may need "
            f"{environment.answer_memory_mebibytes:,} MiB together for a moment, more than the "
            f"{memory:,} MiB of memory of the image task; make them smaller, or give image_task "
            "more memory_mebibytes"
        )
    megapixels = environment.ingest.maximum_megapixels
    if environment.giant_converter is None and megapixels > LAMBDA_MEGAPIXELS:
        raise ValueError(
            f"maximum_megapixels={megapixels:,} needs a giant_converter: "
            f"a Lambda cannot convert more than {LAMBDA_MEGAPIXELS:,} in its time"
        )


def _check_ocr(environment: EnvironmentValues) -> None:
    try:
        split_languages(environment.ocr.languages if environment.ocr else "eng")
    except ValueError as error:
        raise ValueError(f"ocr.languages: {error}") from None


def _check_desk(environment: EnvironmentValues) -> None:
    desk, api = environment.desk, environment.api
    if not desk:
        return
    is_real = environment.account != PLACEHOLDER_ACCOUNT
    if is_real and not desk.client:
        raise ValueError("desk: needs client, the name by which the API's issuer knows the desk")
    if desk.client and not (api and api.access == "jwt"):
        raise ValueError(
            "desk: people sign in at the issuer of the API's tokens, so the environment needs an "
            'api with access = "jwt"'
        )
    for origin in desk.sign_in_origins:
        if not re.fullmatch(r"https://[A-Za-z0-9.-]+(:[0-9]+)?", origin):
            raise ValueError(
                f"desk: sign_in_origins are like https://login.example.org, not {origin!r}"
            )
    if desk.client and not environment.domain_name:
        raise ValueError(
            "desk: needs domain_name: the API and the masters' bucket take calls from pages of "
            "that name alone, and CloudFront's own name is not known before they are made"
        )


def _check_proposals(environment: EnvironmentValues) -> None:
    address = environment.text_proposals
    if address is None:
        return
    if not environment.api:
        raise ValueError("text_proposals: the program is asked by the api, so there has to be one")
    is_local = environment.account == PLACEHOLDER_ACCOUNT
    hosts = r"https://[A-Za-z0-9.-]+" + (r"|http://(127\.0\.0\.1|localhost)" if is_local else "")
    if not re.fullmatch(rf"({hosts})(:[0-9]{{1,5}})?(/[!-~]{{0,300}})?", address):
        raise ValueError(
            "text_proposals must be an https address, such as https://texts.example.org/propose, "
            f"not {address!r}"
        )


def _check_mcp(environment: EnvironmentValues) -> None:
    is_real = environment.account != PLACEHOLDER_ACCOUNT
    if environment.mcp and is_real and not environment.domain_name:
        raise ValueError("mcp: needs domain_name, at which its tools read, as visitors do")


def _check_concurrency(environment: EnvironmentValues) -> None:
    reserved = sum(
        converter.at_once or 0
        for converter in (
            environment.small_converter,
            environment.large_converter,
            environment.image_function,
            environment.photo_function if environment.photos else None,
        )
        if converter
    )
    if environment.access:
        reserved += environment.admit_at_once or 0
    if reserved and reserved + UNRESERVED > environment.account_concurrency:
        raise ValueError(
            f"{reserved} reserved Lambdas leave no {UNRESERVED} of the account's "
            f"{environment.account_concurrency} for all other functions, as AWS demands; "
            "new_account = true reserves none"
        )
    rest = environment.account_concurrency - reserved
    if environment.ocr and 2 * environment.ocr.at_once > rest:
        raise ValueError(
            f"ocr.at_once: {environment.ocr.at_once} at once are more than half of the {rest} that "
            "are not reserved, and all other functions need some"
        )
