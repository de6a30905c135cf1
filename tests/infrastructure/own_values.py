"""Values of environments of one's own that many promises share, each about its own: one synthesis.

A template costs 1.6 CPU seconds, and what one of these values does depends on no other.
"""

from typing import Any

from vitrine.settings.departments import Department

ACCOUNT = "123456789012"
PUBLISHED: dict[str, Any] = {
    "frame_ancestors": "'self' https://www.example.org",
    "rejection_address": "registrar@example.org",
}
OPERATED: dict[str, Any] = {
    "account": ACCOUNT,
    "alarm_address": "images@example.org",
    "blocked_countries": ("AQ", "BV"),
    "balancer_certificate_arn": f"arn:aws:acm:us-east-1:{ACCOUNT}:certificate/def",
    "bot_control": True,
    "certificate_arn": f"arn:aws:acm:us-east-1:{ACCOUNT}:certificate/abc",
    "departments": {
        "works-on-paper": Department(
            collections=("prints", "a/b"), members=(f"arn:aws:iam::{ACCOUNT}:role/prints",)
        ),
        "map-room": Department(
            collections=("maps",), members=(f"arn:aws:iam::{ACCOUNT}:role/museum/maps",)
        ),
        "registrars": Department(
            collections=("*",), members=(f"arn:aws:iam::{ACCOUNT}:user/registrar",)
        ),
    },
    "domain_name": "images.example.org",
    "event_bus": "museum",
    "hosted_zone_id": "Z0EXAMPLE",
    "permissions_boundary": f"arn:aws:iam::{ACCOUNT}:policy/boundary",
    "rate_rule_action": "block",
    "tags": {"department": "Prints"},
}
