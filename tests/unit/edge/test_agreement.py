"""The edge and the gateway agree: a request that bypasses the edge gets the same answer."""

import json
from collections import Counter
from typing import Any

import pytest

from tests.unit.edge.edge_addresses import addresses
from tests.unit.edge.edge_function import event, rewritten, run_function
from tests.unit.edge.edge_gateway import ask_gateway
from vitrine.deliver.http.exchange import Response
from vitrine.deliver.http.json_media import negotiate_media
from vitrine.iiif.version import V2, V3, Version

pytestmark = pytest.mark.slow

COUNT = 10_000
SEED = 6
GET = "GET"
Verdict = dict[str, Any]


def header(response: Response, name: str) -> str | None:
    values = [value for key, value in response.headers if key == name]
    assert len(values) < 2, f"{name} {len(values)} times"
    return values[0] if values else None


class Agreement:
    """Ten thousand addresses, what the function makes of each, and what the gateway says."""

    def __init__(self) -> None:
        self.paths = addresses(COUNT, SEED)
        self.verdicts = run_function([event(GET, path) for path in self.paths])
        self.answers = ask_gateway((GET, path) for path in self.paths)

    def answered(self) -> list[tuple[str, Verdict, Response]]:
        """What the function answered itself."""
        rows = zip(self.paths, self.verdicts, self.answers, strict=True)
        return [row for row in rows if "statusCode" in row[1]]

    def passed(self) -> list[tuple[str, str, Response]]:
        """What it passed on, and as which address."""
        rows = zip(self.paths, self.verdicts, self.answers, strict=True)
        return [
            (path, verdict["uri"], answer) for path, verdict, answer in rows if "uri" in verdict
        ]


@pytest.fixture(scope="module")
def agreement() -> Agreement:
    return Agreement()


def test_the_addresses_are_of_all_kinds(agreement: Agreement) -> None:
    statuses = Counter(answer.status for answer in agreement.answers)
    assert set(statuses) == {200, 301, 303, 400, 404, 410, 414}
    assert min(statuses[status] for status in (200, 301, 400, 404)) > 500
    changed = sum(path != uri for path, uri, answer in agreement.passed() if answer.status == 200)
    assert changed > 500


def test_what_the_edge_answers_the_gateway_answers_alike(agreement: Agreement) -> None:
    assert len(agreement.answered()) > 3_000
    for path, verdict, answer in agreement.answered():
        assert verdict["statusCode"] == answer.status, path
        for name in ("location", "allow", "access-control-allow-origin"):
            assert verdict["headers"].get(name, {}).get("value") == header(answer, name), path
        if answer.status < 400:
            continue
        stated, own = json.loads(verdict["body"]["data"]), json.loads(answer.body)
        assert set(stated) == set(own) == {"status", "reason"}
        assert stated["status"] == own["status"], path
        # The gateway may go on to quote what it was asked.
        assert own["reason"].startswith(stated["reason"]), path
        assert verdict["headers"]["content-type"]["value"] == header(answer, "content-type")


def test_what_the_edge_rewrites_gets_the_same_answer(agreement: Agreement) -> None:
    passed = agreement.passed()
    answers = ask_gateway((GET, uri) for _, uri, _ in passed)
    for (path, uri, answer), other in zip(passed, answers, strict=True):
        if answer.status != 301:
            assert other == answer, f"{path} became {uri}"


def test_a_rewritten_address_that_moved_moves_to_the_same_place(agreement: Agreement) -> None:
    moved = [(uri, answer) for _, uri, answer in agreement.passed() if answer.status == 301]
    others = ask_gateway((GET, uri) for uri, _ in moved)
    assert {other.status for other in others} == {301}
    # The gateway keeps the spelling it was asked with, so that one more rewriting shows it.
    places = [header(answer, "location") or "" for _, answer in moved]
    assert rewritten(places) == [header(other, "location") for other in others]


def test_what_is_malformed_does_not_cross_to_the_gateway(agreement: Agreement) -> None:
    for path, _, answer in agreement.passed():
        if answer.status != 400:
            continue
        # What is left depends on the image: its size, and what of it there is.
        reason = json.loads(answer.body)["reason"]
        assert reason.startswith(("the region is ", "the size is ")), path


def test_rewriting_twice_changes_nothing_more(agreement: Agreement) -> None:
    uris = [uri for _, uri, _ in agreement.passed()]
    assert rewritten(uris) == uris


def spelt(version: int, accepts: list[str]) -> list[str]:
    """Return what the function makes of these Accept headers for image information."""
    uri = f"/iiif/{version}/a/info.json"
    answers = run_function([event(GET, uri, accept) for accept in accepts])
    return [answer["headers"]["accept"]["value"] for answer in answers]


def accept_headers() -> list[str]:
    ranges = ["application/ld+json", "application/json", "application/*", "*/*", "text/html", "a/b"]
    parameters = ["", ";q=0", ";q=0.5", "; Q=0.50", ";q=1.", ";q=1e9", ";q=", ";profile=x;q=0.9"]
    single = [range_ + parameter for range_ in ranges for parameter in parameters]
    pairs = [f"{one}, {other}" for one in single for other in single]
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    return ["", browser, ";;,,q=", "__proto__, toString", *single, *pairs]


@pytest.mark.parametrize("version", [V2, V3], ids=lambda version: str(version.number))
def test_the_gateway_takes_the_edges_spelling_of_accept_for_the_viewers(version: Version) -> None:
    accepts = accept_headers()
    spellings = spelt(version.number, accepts)
    assert set(spellings) == {"application/json", "application/ld+json"}
    for accept, spelling in zip(accepts, spellings, strict=True):
        own, of_edge = (
            negotiate_media(version.number, version.context, text) for text in (accept, spelling)
        )
        assert own == of_edge, accept


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD", "POST", "PUT", "DELETE", "PURGE"])
def test_other_methods_are_answered_alike(agreement: Agreement, method: str) -> None:
    paths = agreement.paths[:300]
    verdicts = run_function([event(method, path) for path in paths])
    answers = ask_gateway((method, path) for path in paths)
    for path, verdict, answer, of_get in zip(
        paths, verdicts, answers, agreement.verdicts, strict=False
    ):
        if method == "HEAD":
            assert verdict.get("uri") == of_get.get("uri"), path
            assert verdict.get("statusCode") == of_get.get("statusCode"), path
            continue
        assert verdict["statusCode"] == answer.status, path
        stated = {name: value["value"] for name, value in verdict["headers"].items()}
        assert stated.items() >= dict(answer.headers).items() - {("cache-control", "no-store")}, (
            path
        )
