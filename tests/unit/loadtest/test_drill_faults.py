"""Which calls of a drill go wrong, and that SDKs read the answers as AWS's own."""

import json
import xml.etree.ElementTree as ElementTree

from loadtest.drills.ingest.service_faults import CUTS, REFUSALS, Dice, ServiceFault
from tests.rigs.clock import Clock

SIGNED = (
    "AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/{}/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=0123"
)
CALLS = 20_000


def test_the_chosen_share_of_the_calls_goes_wrong_in_every_way() -> None:
    dice = Dice(seed=1, percent=2.0)
    rolled = [dice.roll("s3") for _ in range(CALLS)]
    assert 0.015 < sum(kind is not None for kind in rolled) / CALLS < 0.025
    assert set(rolled) == {None, *ServiceFault}
    assert dice.calls["s3"] == CALLS
    assert dice.faults.total() == sum(kind is not None for kind in rolled)


def test_an_outage_refuses_every_call_of_its_service_and_ends() -> None:
    clock = Clock()
    dice = Dice(seed=1, clock=clock)
    dice.outage("dynamodb", 10.0)
    clock.now = 9.9
    refused = {dice.roll("dynamodb") for _ in range(100)}
    assert refused == {ServiceFault.THROTTLED, ServiceFault.FAILED}
    assert dice.roll("s3") is None
    clock.now = 10.0
    assert dice.roll("dynamodb") is None


def test_every_fault_but_a_cut_has_its_answer() -> None:
    for service, refusals in REFUSALS.items():
        assert set(refusals) == set(ServiceFault) - CUTS
        for refusal in refusals.values():
            code = _code(service, refusal.body)
            throttled = refusal is refusals[ServiceFault.THROTTLED]
            assert refusal.status == (_THROTTLED_STATUS[service] if throttled else 500)
            assert code == _CODES[service][throttled]


_THROTTLED_STATUS = {"s3": 503, "dynamodb": 400}
_CODES = {
    "s3": ("InternalError", "SlowDown"),
    "dynamodb": ("InternalServerError", "ProvisionedThroughputExceededException"),
}


def _code(service: str, body: bytes) -> str | None:
    if service == "s3":
        return ElementTree.fromstring(body.decode()).findtext("Code")
    return str(json.loads(body)["__type"]).rpartition("#")[2]
