"""Which calls of a drill go wrong, and that SDKs read the answers as AWS's own."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from loadtest.drills.ingest.service_faults import CUTS, REFUSALS, Dice, ServiceFault, service_of

SIGNED = (
    "AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/{}/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=0123"
)
CALLS = 20_000


class Clock:
    """A clock that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("service", ["s3", "dynamodb", "sqs"])
def test_a_signature_names_its_service(service: str) -> None:
    assert service_of(SIGNED.format(service)) == service


@pytest.mark.parametrize("authorization", ["", "Basic dGVzdDp0ZXN0"])
def test_an_unsigned_call_is_of_no_service(authorization: str) -> None:
    assert service_of(authorization) == ""


def test_the_chosen_share_of_the_calls_goes_wrong_in_every_way() -> None:
    dice = Dice(seed=1, percent=2.0)
    rolled = [dice.roll("s3") for _ in range(CALLS)]
    assert 0.015 < sum(kind is not None for kind in rolled) / CALLS < 0.025
    assert set(rolled) == {None, *ServiceFault}
    assert dice.calls["s3"] == CALLS
    assert dice.faults.total() == sum(kind is not None for kind in rolled)


def test_the_same_seed_rolls_the_same() -> None:
    one, other = Dice(seed=3, percent=50.0), Dice(seed=3, percent=50.0)
    assert [one.roll("s3") for _ in range(99)] == [other.roll("s3") for _ in range(99)]


def test_no_other_service_is_touched() -> None:
    dice = Dice(seed=1, percent=100.0)
    assert dice.roll("sqs") is None
    assert dice.roll("") is None
    with pytest.raises(KeyError):
        dice.outage("sqs", 1)


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
