"""What the policy of an operator's own KMS key has to say, and what it does not say.

The key's policy alone decides who may use it: no role of the service has a right to a key. Its
form is that of the policies of AWS's own keys, such as `aws/s3`: anyone in the account who may use
a bucket, table, queue or topic may use the key through that service.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Policy = Mapping[str, Any]
_MESSAGES = ("kms:Decrypt", "kms:GenerateDataKey")
_DATA = ("kms:CreateGrant", "kms:DescribeKey", "kms:Encrypt", "kms:ReEncrypt*", *_MESSAGES)
_SERVICES = ("s3", "dynamodb", "sqs", "sns")


def required_statements(account: str, region: str) -> list[dict[str, Any]]:
    """Return the statements that the key's policy needs next to that of its administrators.

    Sources: DynamoDB, "Managing encryption keys"; S3, "Granting permissions to publish event
    notification messages"; SQS and SNS, "Key management"; CloudFront, "Restrict access to an Amazon
    S3 origin".
    """
    ours = {"StringEquals": {"aws:SourceAccount": account}}
    distributions = f"arn:aws:cloudfront::{account}:distribution/*"
    via = [f"{service}.{region}.amazonaws.com" for service in _SERVICES]
    caller = {"StringEquals": {"kms:CallerAccount": account, "kms:ViaService": via}}
    return [
        _statement("DataOfThisAccount", {"AWS": "*"}, _DATA, caller),
        _statement("ReportsOfUploads", {"Service": "s3.amazonaws.com"}, _MESSAGES),
        _statement("EventsToQueues", {"Service": "events.amazonaws.com"}, _MESSAGES),
        _statement("Alarms", {"Service": "cloudwatch.amazonaws.com"}, _MESSAGES, ours),
        _statement(
            "PagesOfTheSite",
            {"Service": "cloudfront.amazonaws.com"},
            ("kms:Decrypt",),
            {"StringLike": {"aws:SourceArn": distributions}},
        ),
    ]


def find_missing(policy: Policy, account: str, region: str) -> list[str]:
    """Return the Sids of the required statements whose rights the policy does not give.

    A condition is not evaluated: an operator may narrow what a statement allows.
    """
    allowed = [one for one in policy.get("Statement", ()) if one.get("Effect") == "Allow"]
    return [
        required["Sid"]
        for required in required_statements(account, region)
        if not all(
            any(_gives(one, required["Principal"], action) for one in allowed)
            for action in required["Action"]
        )
    ]


def _gives(statement: Policy, principal: Mapping[str, str], action: str) -> bool:
    given = statement.get("Principal", {})
    [(kind, name)] = principal.items()
    names = set(_texts(given.get(kind, ()) if isinstance(given, Mapping) else given))
    # Principals by their ARNs, or the whole account, narrow the same right.
    is_named = name in names or (kind == "AWS" and any(_is_ours(one) for one in names))
    patterns = (re.escape(one).replace(r"\*", ".*") for one in _texts(statement.get("Action", ())))
    return is_named and any(re.fullmatch(pattern, action, re.IGNORECASE) for pattern in patterns)


def _is_ours(arn: str) -> bool:
    return arn.startswith("arn:") and not arn.endswith(":root")


def _texts(value: str | Iterable[str]) -> Iterator[str]:
    yield from ([value] if isinstance(value, str) else value)


def _statement(
    sid: str,
    principal: Mapping[str, str],
    actions: Iterable[str],
    condition: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    statement = {
        "Sid": sid,
        "Effect": "Allow",
        "Principal": dict(principal),
        "Action": sorted(actions),
        "Resource": "*",
    }
    return statement | ({"Condition": condition} if condition else {})
