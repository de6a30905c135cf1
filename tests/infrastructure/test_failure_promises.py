"""Whatever fails is tried again, then kept where somebody sees it."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from stacks.constructs.retries import BUSY, KILLED, NO_TASK, PASSING
from stacks.environment_checks import UNRESERVED
from vitrine.errors import RETRYABLE
from vitrine.ingest.inspect.estimate import estimate
from vitrine.ingest.inspect.formats.picture_format import PictureFormat
from vitrine.settings.ingest import IngestOptions

REPOSITORY = Path(__file__).parents[2]
RECORDERS = {"RecordRejection", "RecordFailure"}
THROTTLING = {
    "TransientError",
    "Lambda.TooManyRequestsException",
    "Lambda.ServiceException",
    "Lambda.SdkClientException",
}
DEATHS = {"Lambda.Unknown", "Runtime.ExitError", "Sandbox.Timedout", "States.Timeout"}
GIANT = "ConvertMasterGiant"
HOUR = 3_600
LAMBDA_SECONDS = 900


def _tasks(templates):
    return {name: item for name, item in templates.states().items() if item["Type"] == "Task"}


def _lambdas(templates):
    return {name: item for name, item in _tasks(templates).items() if name != GIANT}


def test_every_state_is_a_folder_in_lambdas(templates):
    def folder(state):
        for size in ("Small", "Large", "Giant"):
            state = state.removesuffix(size)
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in state).lstrip("_")

    for state in _tasks(templates):
        assert (REPOSITORY / "lambdas" / folder(state) / "handler.py").exists(), state


def test_a_master_walks_from_its_converter_to_publication(templates):
    states = templates.states()
    assert templates.definition()["StartAt"] == "ConvertMasterSmall"
    ways = {
        "ConvertMasterSmall": [],
        "ConvertMasterLarge": [],
        "RequestConversion": ["ConvertMasterGiant", "ReadConversion"],
    }
    for first, between in ways.items():
        walk = [first]
        while not states[walk[-1]].get("End"):
            walk.append(states[walk[-1]]["Next"])
        assert walk == [first, *between, "VerifyAccessMaster", "PublishImage"]


def test_no_state_is_paid_for_that_only_routes_or_ends(templates):
    """AWS charges for each state that is entered; these two are entered if an ingest gives up."""
    idle = {name for name, item in templates.states().items() if item["Type"] != "Task"}
    assert idle == {"Superseded", "Failed"}


def test_each_converter_has_its_own_limit_and_the_account_keeps_room(templates):
    functions = {
        item.id.rstrip("0123456789ABCDEF"): item.properties
        for item in templates.of("AWS::Lambda::Function")
    }
    small, large = functions["ConvertMasterSmall"], functions["ConvertMasterLarge"]
    reserved = [item.get("ReservedConcurrentExecutions", 0) for item in functions.values()]
    assert small["ReservedConcurrentExecutions"] > large["ReservedConcurrentExecutions"] > 0
    assert sum(reserved) + UNRESERVED <= templates.environment.account_concurrency <= 1_000
    assert small["MemorySize"] < large["MemorySize"]
    assert small["Code"] == large["Code"]


def test_waiting_for_a_converter_takes_less_than_the_throttling_that_is_outlasted(templates):
    """This holds even if all executions wait for one converter, and each runs to its timeout."""
    environment = templates.environment
    for converter in (environment.small_converter, environment.large_converter):
        rounds = math.ceil(environment.executions_at_once / converter.at_once) - 1
        assert rounds * LAMBDA_SECONDS < HOUR


def test_every_task_has_an_end(templates):
    for name, state in _tasks(templates).items():
        longest = 6 * HOUR if name == GIANT else 930
        assert 0 < state["TimeoutSeconds"] <= longest, name


def test_the_largest_giant_that_is_let_in_is_done_in_its_time(templates):
    largest = templates.environment.ingest.maximum_megapixels * 1_000_000
    side = math.isqrt(largest)
    picture = PictureFormat(width=side, height=side, colour="rgb", bits=8, compression="none")
    seconds = estimate(picture, 3 * largest).seconds
    assert seconds < templates.states()[GIANT]["TimeoutSeconds"]
    held = templates.one("AWS::Lambda::Function", "RequestConversion").properties["Environment"]
    tries = 1 + _retries(templates.states()[GIANT])["States.TaskFailed"]["MaxAttempts"]
    assert int(held["Variables"]["VITRINE_GIANT_SECONDS"]) > tries * 6 * HOUR


def _retries(state):
    """Return the retriers of a state by error."""
    return {error: item for item in state["Retry"] for error in item["ErrorEquals"]}


def _pauses(retry):
    for attempt in range(retry["MaxAttempts"]):
        grown = retry["IntervalSeconds"] * retry["BackoffRate"] ** attempt
        yield min(grown, retry["MaxDelaySeconds"])


def test_an_hour_of_throttling_is_outlasted(templates):
    """Each pause is random, from 0 to its length; this holds even for an unlikely short sum."""
    for name, state in _tasks(templates).items():
        for error in NO_TASK.errors if name == GIANT else THROTTLING | set(RETRYABLE):
            retry = _retries(state)[error]
            assert retry["JitterStrategy"] == "FULL"
            longest = list(_pauses(retry))
            mean = sum(longest) / 2
            deviation = math.sqrt(sum(pause**2 / 12 for pause in longest))
            assert mean - 3 * deviation >= HOUR, name


def test_a_giant_waits_for_its_slot_for_hours(templates):
    retry = _retries(templates.states()["RequestConversion"])["ConvertersBusy"]
    assert sum(_pauses(retry)) / 2 > 12 * HOUR
    assert retry["JitterStrategy"] == "FULL"


def test_a_killed_task_is_tried_twice_more_and_its_end_is_always_read(templates):
    state = templates.states()[GIANT]
    # The last: a retrier that matches any error would hide the others.
    last = state["Retry"][-1]
    assert last["ErrorEquals"] == ["States.TaskFailed", "States.Timeout"]
    assert last["MaxAttempts"] == 2
    assert state["Catch"] == [
        {"ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": "ReadConversion"}
    ]
    assert state["Next"] == "ReadConversion"
    assert state["ResultPath"] is None  # the input is passed on as it was


@pytest.mark.slow
def test_an_environment_without_tasks_for_giants_has_none(synthesize, dev):
    templates = synthesize(replace(dev.environment, giant_converter=None, ingest=IngestOptions()))
    assert "ecs:runTask" not in json.dumps(templates.definition())
    assert [item.stage for item in templates.of("AWS::ECS::TaskDefinition")] == ["deliver"]
    function = templates.one("AWS::Lambda::Function", "ConvertMasterLarge").properties
    given = function["Environment"]["Variables"]
    assert given["VITRINE_GIANTS_AT_ONCE"] == "0"
    assert given["VITRINE_MAXIMUM_DISK_MEBIBYTES"] == given["VITRINE_CONVERTER_DISK_MEBIBYTES"]


def test_what_was_killed_is_tried_once_more_only(templates):
    for name, state in _lambdas(templates).items():
        for error in DEATHS:
            assert _retries(state)[error]["MaxAttempts"] == 1, name


def test_nothing_but_named_errors_is_tried_again(templates):
    for name, state in _lambdas(templates).items():
        waiting = BUSY.errors if name == "RequestConversion" else ()
        assert set(_retries(state)) == {*PASSING.errors, *KILLED.errors, *waiting}, name
        assert not set(_retries(state)) & {"MasterRejected", "SupersededMaster", "States.ALL"}


def test_no_execution_ends_while_a_step_of_it_may_still_try(templates):
    """This holds on the longest way, with all tries of every step, each killed at its timeout."""
    tasks = _tasks(templates)
    longest = sum(
        sum(sum(_pauses(retry)) for retry in task["Retry"])
        + (3 if name == GIANT else 2) * task["TimeoutSeconds"]
        for name, task in tasks.items()
    )
    definition = templates.definition()
    assert longest <= definition["TimeoutSeconds"] <= 1.1 * longest
    assert definition["TimeoutSeconds"] < 4 * 86_400


def test_a_rejection_is_recorded_and_a_failure_kept(templates):
    states = templates.states()
    for name in _tasks(templates).keys() - RECORDERS - {GIANT}:
        caught = [(item["ErrorEquals"], item["Next"]) for item in states[name]["Catch"]]
        assert caught[-3:] == [
            (["MasterRejected"], "RecordRejection"),
            (["SupersededMaster"], "Superseded"),
            (["States.ALL"], "RecordFailure"),
        ], name
        assert {item["ResultPath"] for item in states[name]["Catch"][-3:]} == {"$.error"}
    assert states["RecordRejection"]["End"]
    assert states["RecordFailure"]["Next"] == "Failed"
    assert states["Failed"]["Type"] == "Fail"
    assert states["Superseded"]["Type"] == "Succeed"


def test_what_is_too_large_for_a_converter_or_kills_it_goes_to_the_next_larger_one(templates):
    states = templates.states()
    larger = {"Small": "ConvertMasterLarge", "Large": "RequestConversion"}
    for size, following in larger.items():
        first, *_ = states[f"ConvertMaster{size}"]["Catch"]
        assert set(first["ErrorEquals"]) == {"ConverterTooSmall", *KILLED.errors}
        assert first["Next"] == following
        assert first["ResultPath"] is None  # the input is passed on as it was
    others = _lambdas(templates).keys() - RECORDERS
    for name in others - {"ConvertMasterSmall", "ConvertMasterLarge"}:
        assert len(states[name]["Catch"]) == 3, name


def test_a_recorder_that_fails_still_ends_the_execution_as_failed(templates):
    states = templates.states()
    assert states["RecordRejection"]["Catch"][-1]["Next"] == "RecordFailure"
    assert states["RecordFailure"]["Catch"][-1]["Next"] == "Failed"
