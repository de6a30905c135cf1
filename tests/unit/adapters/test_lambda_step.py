"""A step emits what happened, and no metric that would be paid for while nothing does."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from vitrine.adapters.aws.lambda_step import count, lambda_step
from vitrine.errors import NotMigrated

CONTEXT = SimpleNamespace(
    function_name="step",
    memory_limit_in_mb=128,
    invoked_function_arn="arn:aws:lambda:eu-west-1:000000000000:function:step",
    aws_request_id="1",
)


@pytest.fixture(autouse=True)
def namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Vitrine/test")


def emitted(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return the values of all metrics that were printed, by name."""
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return {
        metric["Name"]: line[metric["Name"]]
        for line in lines
        if "_aws" in line
        for directive in line["_aws"]["CloudWatchMetrics"]
        for metric in directive["Metrics"]
    }


def test_what_was_counted_is_a_metric_and_a_zero_is_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    count("reconcile", {"started": 2, "restarted": 0, "access_masters": 1})
    assert emitted(capsys) == {"Started": [2.0], "AccessMasters": [1.0]}


@pytest.mark.parametrize("counts", [{}, {"started": 0, "renewed": 0}])
def test_nothing_is_emitted_where_nothing_happened(
    counts: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    count("reconcile", counts)
    assert capsys.readouterr().out == ""


def test_a_step_that_ends_well_has_no_metric_of_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    step = lambda_step("look")(lambda event, context: event["answer"])
    assert step({"answer": 1}, CONTEXT) == 1
    assert emitted(capsys) == {}


@pytest.mark.parametrize(
    ("error", "metric"), [(NotMigrated("x"), "NotMigrated"), (ValueError("x"), "Failed")]
)
def test_a_step_that_fails_counts_why(
    error: Exception, metric: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(event: dict[str, Any], context: Any) -> Any:
        raise error

    with pytest.raises(type(error)):
        lambda_step("look")(fail)({}, CONTEXT)
    assert emitted(capsys) == {metric: [1.0]}
