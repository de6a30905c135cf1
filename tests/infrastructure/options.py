"""Every option of an environment, switched on, and how each is switched off."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from stacks.copies import Backup, Replica
from stacks.designs import PROD
from stacks.environment_values import Api, Desk
from stacks.environments import Environment
from stacks.flavours import take_flavour
from stacks.sizes import PhotoFunctionSize
from tests.infrastructure.own_values import ACCOUNT, OPERATED
from vitrine.settings.edge import AccessOptions
from vitrine.settings.photos import PhotoOptions
from vitrine.settings.present import OcrOptions

ON: Mapping[str, Any] = {
    **OPERATED,
    "access": AccessOptions(),
    "api": Api(access="jwt", issuer="https://login.example.org", audience=("vitrine",)),
    "backup": Backup(masters=True),
    "balancer_certificate_arn": f"arn:aws:acm:{PROD.region}:{ACCOUNT}:certificate/def",
    "dashboard": True,
    "desk": Desk(client="vitrine-desk"),
    "edge_metrics": True,
    "event_bus": "default",
    "github_repository": "museum/vitrine",
    "key_arn": f"arn:aws:kms:{PROD.region}:{ACCOUNT}:key/1",
    "github_provider_arn": f"arn:aws:iam::{ACCOUNT}:oidc-provider/x",
    "mcp": True,
    "monthly_budget_dollars": 100,
    "ocr": OcrOptions(languages="deu"),
    "origin_shield": True,
    "photo_function": PhotoFunctionSize(),
    "photos": PhotoOptions(),
    "rejection_address": "registrar@example.org",
    "replica": Replica(
        region="eu-central-1",
        locked_days=365,
        key_arn=f"arn:aws:kms:eu-central-1:{ACCOUNT}:key/2",
    ),
    "text_proposals": "https://texts.example.org/propose",
    "web_acl": True,
}
OFF: Mapping[str, Mapping[str, Any]] = {
    "access": {"access": None},
    "addresses": {
        "alarm_address": None,
        "rejection_address": None,
        "monthly_budget_dollars": 0,
    },
    "api": {
        "api": None,
        "desk": None,
        "photos": None,
        "photo_function": None,
        "text_proposals": None,
    },
    "backup": {"backup": None},
    "balancer_certificate": {"balancer_certificate_arn": None},
    "boundary": {"permissions_boundary": None},
    "bot_control": {"bot_control": False},
    "dashboard": {"dashboard": False},
    "desk": {"desk": None},
    "domain": {
        "desk": None,
        "mcp": False,
        "domain_name": None,
        "certificate_arn": None,
        "hosted_zone_id": None,
        "balancer_certificate_arn": None,
    },
    "edge_metrics": {"edge_metrics": False},
    "giants": {"giant_converter": None},
    "github": {"github_repository": None, "github_provider_arn": None},
    "hosted_zone": {"hosted_zone_id": None},
    "key": {"key_arn": None, "replica": Replica(region="eu-central-1", locked_days=365)},
    "mcp": {"mcp": False},
    "ocr": {"ocr": None},
    "origin_shield": {"origin_shield": False},
    "photo_function": {"photo_function": None},
    "photos": {"photos": None, "photo_function": None},
    "replica": {"replica": None},
    "text_proposals": {"text_proposals": None},
    "web_acl": {"web_acl": False, "bot_control": False},
}
"""Values of `environments.toml` that switch each option off, by its name."""

KEPT: Mapping[str, str] = {
    "image_function": "what serves the images is chosen once (docs/howto/choose-a-flavour.md)",
    "admit_at_once": "a size",
    "cloudfront_prefix_list_id": "a correction of what is known of the region",
    "vpc": "the network is chosen once",
    "protected": "tests/infrastructure/test_data_safety.py has it",
    "first_deployment": "tests/infrastructure/test_first_deployment.py has it",
}
"""Fields that could be switched off by their types, and why they are no options here."""

_UNPROTECTED = {**ON, "protected": False}
"""A protected environment has to have a domain and somebody who hears its alarms."""
_SERVERLESS = take_flavour(PROD, "serverless")

KINDS: Mapping[str, Environment] = {
    "tasks": replace(PROD, **_UNPROTECTED),
    "us-east-1": replace(
        PROD,
        **_UNPROTECTED
        | {
            "region": "us-east-1",
            "balancer_certificate_arn": OPERATED["balancer_certificate_arn"],
            "key_arn": f"arn:aws:kms:us-east-1:{ACCOUNT}:key/1",
        },
    ),
    "serverless": replace(
        _SERVERLESS, **_UNPROTECTED, architecture="x86_64", giant_converter=PROD.giant_converter
    ),
}
"""Environments with every option: CloudFront's own region has other stacks than the rest."""


def without(environment: Environment, *options: str) -> Environment:
    """Return the environment with these options switched off, as far as it can be without them."""
    changes = {key: value for option in options for key, value in OFF[option].items()}
    if not environment.image_function:
        changes.pop("giant_converter", None)  # every design with image tasks has one
    elif "photos" not in changes:
        changes.pop("photo_function", None)  # nothing else can be the door
    return replace(environment, **changes)
