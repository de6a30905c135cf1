"""Both generators are measured against a server that has every answer ready."""

import pytest

from loadtest.client.user_load import Progress
from loadtest.errors import InvalidScenario
from loadtest.studies.generator.generator_report import html, text
from loadtest.studies.generator.generator_study import GeneratorStudy, measure_generators
from loadtest.studies.generator.null_server import answer
from loadtest.workload.answers import jpeg_size


def test_the_null_server_answers_in_the_size_that_was_asked_for() -> None:
    head, _, body = answer(b"/iiif/3/null-0/0,0,512,512/256,/0/default.jpg").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert jpeg_size(body) == (256, 256)
    assert answer(b"/nothing").startswith(b"HTTP/1.1 404")


def test_both_generators_ask_rightly_and_say_what_a_request_costs_them() -> None:
    study = GeneratorStudy(users=3, seconds=1, rounds=1)
    figures = measure_generators(study, lambda name: lambda requests, failures: None)
    assert figures["complete"]
    assert [row["generator"] for row in figures["medians"]] == ["bench", "locust"]
    for row in figures["medians"]:
        assert row["failures"] == 0
        assert row["requests"] > 5
        assert 0 < row["cpu_ms_per_request"] < 500
    slow = figures | {
        "medians": [row | {"requests_per_core_second": 2_999} for row in figures["medians"]]
    }
    assert '<p class="bad">locust misses the goal' in html(slow, {})
    assert "requests/s per core" in text(figures)


def test_after_ctrl_c_the_rounds_before_it_are_kept_and_marked() -> None:
    def interrupt(name: str) -> Progress:
        if "round 2" in name:
            raise KeyboardInterrupt
        return lambda requests, failures: None

    figures = measure_generators(
        GeneratorStudy(generators=["bench"], users=2, seconds=0.5, rounds=9), interrupt
    )
    assert (figures["complete"], len(figures["rounds"])) == (False, 1)
    assert '<p class="bad">The run was interrupted' in html(figures, {})


def test_a_generator_that_there_is_not_is_refused() -> None:
    with pytest.raises(InvalidScenario, match="there are bench, locust"):
        measure_generators(
            GeneratorStudy(generators=["siege"]), lambda name: lambda requests, failures: None
        )
    with pytest.raises(InvalidScenario, match="name at least one"):
        measure_generators(
            GeneratorStudy(generators=[]), lambda name: lambda requests, failures: None
        )
