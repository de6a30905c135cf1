"""The faults of S3 and DynamoDB, and the calls that they befall.

Sources: Amazon S3 API Reference, "Error responses" (SlowDown, InternalError); Amazon DynamoDB
Developer Guide, "Error handling with DynamoDB" (ProvisionedThroughputExceededException with status
400, InternalServerError with 500). SDKs tell a throttled call from a failed one by these codes.
"""

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

_SCOPE = re.compile(r"Credential=[^,/]+/\d{8}/[^/,]+/([^/,]+)/aws4_request")
"""The credential scope of a signature, which names the service (SigV4)."""


class ServiceFault(StrEnum):
    """A fault, as the caller sees it."""

    THROTTLED = "throttled"
    """Refused: too many requests."""
    FAILED = "failed"
    """An error of the service, before it did anything."""
    ANSWER_LOST = "answer_lost"
    """An error of the service, after it carried out the call."""
    CUT = "cut"
    """The connection breaks before anything was done."""
    CUT_AFTERWARDS = "cut_afterwards"
    """The connection breaks after it was done."""


DONE_FIRST = frozenset({ServiceFault.ANSWER_LOST, ServiceFault.CUT_AFTERWARDS})
"""Faults that only hide that the call succeeded."""
CUTS = frozenset({ServiceFault.CUT, ServiceFault.CUT_AFTERWARDS})


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """An answer that says no."""

    status: int
    content_type: str
    body: bytes


def _refuse_s3(status: int, code: str, message: str) -> Refusal:
    body = f"<Error><Code>{code}</Code><Message>{message}</Message><RequestId>drill</RequestId>"
    declared = f'<?xml version="1.0" encoding="UTF-8"?>\n{body}</Error>'
    return Refusal(status=status, content_type="application/xml", body=declared.encode())


def _refuse_dynamodb(status: int, code: str, message: str) -> Refusal:
    name = f"com.amazonaws.dynamodb.v20120810#{code}"
    body = json.dumps({"__type": name, "message": message}).encode()
    return Refusal(status=status, content_type="application/x-amz-json-1.0", body=body)


_S3_FAILED = _refuse_s3(500, "InternalError", "We encountered an internal error. Please try again.")
_DYNAMODB_FAILED = _refuse_dynamodb(500, "InternalServerError", "Internal server error")
REFUSALS: dict[str, dict[ServiceFault, Refusal]] = {
    "s3": {
        ServiceFault.THROTTLED: _refuse_s3(503, "SlowDown", "Please reduce your request rate."),
        ServiceFault.FAILED: _S3_FAILED,
        ServiceFault.ANSWER_LOST: _S3_FAILED,
    },
    "dynamodb": {
        ServiceFault.THROTTLED: _refuse_dynamodb(
            400,
            "ProvisionedThroughputExceededException",
            "The level of configured provisioned throughput for the table was exceeded.",
        ),
        ServiceFault.FAILED: _DYNAMODB_FAILED,
        ServiceFault.ANSWER_LOST: _DYNAMODB_FAILED,
    },
}
"""Error bodies by service and kind. A cut connection has none."""


def service_of(authorization: str) -> str:
    """Return the service that a signed request is for, `s3` for example; "" for an unsigned one."""
    found = _SCOPE.search(authorization)
    return found[1] if found else ""


@dataclass
class Dice:
    """Decides call by call. `percent` of the calls of S3 and DynamoDB go wrong."""

    seed: int
    percent: float = 0.0
    clock: Callable[[], float] = time.monotonic
    calls: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    _chance: random.Random = field(init=False)
    _out_until: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def outage(self, service: str, seconds: float) -> None:
        """Fail every call of `service` for `seconds` from now on. Raises KeyError."""
        REFUSALS[service]  # no other can
        self._out_until[service] = self.clock() + seconds

    def roll(self, service: str) -> ServiceFault | None:
        """Return the fault of the next call, if it has one."""
        if service not in REFUSALS:
            return None
        self.calls[service] += 1
        is_out = self.clock() < self._out_until.get(service, 0.0)
        if not is_out and self._chance.random() * 100 >= self.percent:
            return None
        # An outage refuses; what it did unseen would be one fault more than it is.
        kind = self._chance.choice(
            [ServiceFault.THROTTLED, ServiceFault.FAILED] if is_out else list(ServiceFault)
        )
        self.faults[f"{service} {'outage' if is_out else kind}"] += 1
        return kind
