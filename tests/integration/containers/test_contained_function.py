"""The image of the Lambda that serves images, in a container as confined as Lambda's."""

import json
from collections.abc import Iterator

import pytest

from tests.integration.containers.contained_function import ContainedFunction, started_function
from tests.rigs.runtime_api import SECONDS, request_event

VARIABLES = {
    "VITRINE_ACCESS_MASTERS_BUCKET": "nowhere",
    "VITRINE_SITE_BUCKET": "nowhere",
    "VITRINE_IDENTIFIERS_TABLE": "nowhere",
}


@pytest.fixture(scope="module")
def contained(engine: None) -> Iterator[ContainedFunction]:
    """The Lambda, started."""
    with started_function("function", VARIABLES) as started:
        yield started


def test_the_lambda_starts_with_tmp_alone_and_answers_through_the_runtime_api(
    contained: ContainedFunction,
) -> None:
    api = contained.api
    # Nothing of AWS answers here, so neither table nor bucket does.
    api.events.put(json.dumps(request_event("/iiif/3/a/info.json")).encode())
    api.idle.get(timeout=SECONDS)
    answer = api.answers.get(timeout=SECONDS)
    assert answer.status == 503, answer.body
    assert "table of identifiers" in json.loads(answer.body)["reason"]
    assert not api.failure
    assert "iipsrv.sock" in contained.run("ls", "/tmp/vitrine/run")


def test_nothing_in_it_runs_as_root_or_can_become_root(contained: ContainedFunction) -> None:
    assert contained.run("id", "-u").strip() == "10001"
    assert contained.list_ways_to_root() == ""
