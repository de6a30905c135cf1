"""Each patch: AWS's behaviour holds with it, and still not without it.

When `test_still_needed_<patch>` fails, ministack does as AWS does by now: drop the patch.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, WaiterError
from botocore.parsers import ResponseParserError

from tests.integration.local.emulators import (
    ROLE,
    Emulated,
    deploy_one,
    ended,
    make_function,
    make_machine,
    packed,
    run_machine,
    start_machine,
)
from tests.patience import SECONDS, until
from vitrine.local.edge.listener import Listener, read_listener

PAGE = '<!doctype html>\n<p lang="de">Hier gibt&rsquo;s keine Seite.'

AT_ONCE = max(2, os.cpu_count() or 2)
"""Tasks that use a function at once, with the patch."""


def outcome_of_named_error(emulator: Emulated) -> str:
    name = f"named-{time.time_ns()}"
    code = "class Refused(Exception): pass\ndef handler(event, context): raise Refused('no')\n"
    function = make_function(emulator.cloud, name, code)
    catch = [
        {"ErrorEquals": ["Refused"], "Next": "Caught"},
        {"ErrorEquals": ["States.ALL"], "Next": "Other"},
    ]
    machine = make_machine(emulator.cloud, name, function, catch)
    return str(run_machine(emulator.cloud, machine)[0]["status"])


def most_at_once(emulator: Emulated, folder: Path, seconds: float) -> int:
    """Return how many handlers were at work at once, of twice as many as may be with the patch.

    Each stays until one too many have come, or for a number of seconds.
    """
    name = f"parallel-{time.time_ns()}"
    code = f"""import time, uuid
from pathlib import Path
def handler(event, context):
    folder, begun = Path({str(folder)!r}), time.time()
    (folder / uuid.uuid4().hex).touch()
    while len(list(folder.iterdir())) <= {AT_ONCE} and time.time() < begun + {seconds}:
        time.sleep(0.02)
    return [begun, time.time()]
"""
    machine = make_machine(
        emulator.cloud, name, make_function(emulator.cloud, name, code), catch=[]
    )
    executions = run_machine(emulator.cloud, machine, 2 * AT_ONCE)
    spans = [json.loads(item["output"]) for item in executions]
    return max(sum(begun <= moment < end for begun, end in spans) for moment, _ in spans)


def error_of_a_killed_function(emulator: Emulated) -> str:
    name = f"killed-{time.time_ns()}"
    code = "import os, signal\ndef handler(event, context): os.kill(os.getpid(), signal.SIGKILL)\n"
    machine = make_machine(
        emulator.cloud, name, make_function(emulator.cloud, name, code), catch=[]
    )
    return str(run_machine(emulator.cloud, machine)[0]["error"])


def ends_with_one_place_reserved(emulator: Emulated, may_end: Path) -> list[str]:
    """Return how four executions end whose function may run once at a time, without a retry.

    The function works for two seconds, and until the path is there, at the latest once three of
    the executions have ended.
    """
    code = f"""import os, time
def handler(event, context):
    time.sleep(2)
    while not os.path.exists({str(may_end)!r}):
        time.sleep(0.05)
"""
    function = {
        "Type": "AWS::Lambda::Function",
        "Properties": {
            "Runtime": "python3.13",
            "Role": ROLE,
            "Handler": "index.handler",
            "Code": {"ZipFile": code},
            "Timeout": int(SECONDS),
            "ReservedConcurrentExecutions": 1,
        },
    }
    deploy_one(emulator, function)
    functions = emulator.cloud.client("lambda").list_functions()["Functions"]
    name = max(functions, key=lambda item: str(item["LastModified"]))["FunctionName"]
    machine = make_machine(emulator.cloud, f"one-{time.time_ns()}", name, catch=[])
    started = start_machine(emulator.cloud, machine, 4)
    until(lambda: len(ended(emulator.cloud, started)) >= 3)
    may_end.touch()
    until(lambda: len(ended(emulator.cloud, started)) == 4)
    return sorted(item.get("error", item["status"]) for item in ended(emulator.cloud, started))


def seconds_before_first_states(emulator: Emulated, count: int) -> Iterator[float]:
    """Of one execution after the other."""
    states = emulator.cloud.client("stepfunctions")
    definition = {"StartAt": "Only", "States": {"Only": {"Type": "Succeed"}}}
    machine = states.create_state_machine(
        name=f"pass-{time.time_ns()}", roleArn=ROLE, definition=json.dumps(definition)
    )["stateMachineArn"]
    for _ in range(count):
        arn = run_machine(emulator.cloud, machine)[0]["executionArn"]
        events = states.get_execution_history(executionArn=arn)["events"]
        yield (events[1]["timestamp"] - events[0]["timestamp"]).total_seconds()


def sizes_of_batches(emulator: Emulated, folder: Path) -> list[int]:
    """Return how many messages came together, of 25 that waited for a worker that takes 100."""
    name = f"gathered-{time.time_ns()}"
    code = f"""import uuid
from pathlib import Path
def handler(event, context):
    (Path({str(folder)!r}) / uuid.uuid4().hex).write_text(str(len(event["Records"])))
"""
    queues = emulator.cloud.client("sqs")
    url = queues.create_queue(QueueName=name)["QueueUrl"]
    for number in range(25):
        queues.send_message(QueueUrl=url, MessageBody=str(number))
    attributes = queues.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    emulator.cloud.client("lambda").create_event_source_mapping(
        EventSourceArn=attributes["Attributes"]["QueueArn"],
        FunctionName=make_function(emulator.cloud, name, code),
        BatchSize=100,
        MaximumBatchingWindowInSeconds=1,
    )

    def sizes() -> list[int]:
        return [int(path.read_text() or 0) for path in folder.iterdir()]

    until(lambda: sum(sizes()) == 25)
    return sizes()


def folders_of_shared_code(emulator: Emulated) -> set[tuple[str, str]]:
    """Return where two functions of the same code and layer find both on the disk."""
    functions = emulator.cloud.client("lambda")
    layer = functions.publish_layer_version(
        LayerName=f"shared-{time.time_ns()}",
        Content={"ZipFile": packed("python/shared_part.py", "")},
    )["LayerVersionArn"]
    code = (
        "import os, shared_part\n"
        "def handler(event, context):\n"
        "    return [os.path.realpath(path) for path in (__file__, shared_part.__file__)]\n"
    )
    found = set()
    for number in range(2):
        name = f"layered-{number}-{time.time_ns()}"
        make_function(emulator.cloud, name, code, Layers=[layer])
        answer = functions.invoke(FunctionName=name, Payload=b"{}")
        function, shared = json.loads(answer["Payload"].read())
        found.add((function, shared))
    return found


def children_of_a_map(emulator: Emulated) -> list[Any]:
    """Return the inputs of the children of a map over three items, with batches of two."""
    bucket = f"items-{time.time_ns()}"
    s3 = emulator.cloud.client("s3")
    s3.create_bucket(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key="items.jsonl", Body=b'{"n": 0}\n{"n": 1}\n{"n": 2}\n')
    each = {
        "Type": "Map",
        "ItemReader": {
            "Resource": "arn:aws:states:::s3:getObject",
            "ReaderConfig": {"InputType": "JSONL"},
            "Parameters": {"Bucket": bucket, "Key.$": "$.key"},
        },
        "ItemBatcher": {"MaxItemsPerBatch": 2, "BatchInput": {"of.$": "$.of"}},
        "ItemProcessor": {
            "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
            "StartAt": "Only",
            "States": {"Only": {"Type": "Pass", "End": True}},
        },
        "End": True,
    }
    states = emulator.cloud.client("stepfunctions")
    machine = states.create_state_machine(
        name=bucket,
        roleArn=ROLE,
        definition=json.dumps({"StartAt": "Each", "States": {"Each": each}}),
    )["stateMachineArn"]
    started = states.start_execution(
        stateMachineArn=machine, input=json.dumps({"key": "items.jsonl", "of": "x"})
    )["executionArn"]
    until(lambda: ended(emulator.cloud, [started]))
    return list(json.loads(ended(emulator.cloud, [started])[0]["output"]))


def deploy_accepted_type(emulator: Emulated) -> str:
    return deploy_one(
        emulator,
        {
            "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
            "Properties": {"MinCapacity": 1, "MaxCapacity": 2},
        },
    )


def deploy_alarm_of_expression(emulator: Emulated) -> str:
    metrics = [
        {"Id": "share", "Expression": "100 * bad / all", "ReturnData": True},
        *(
            {
                "Id": name,
                "ReturnData": False,
                "MetricStat": {
                    "Metric": {"Namespace": "Any", "MetricName": name},
                    "Period": 60,
                    "Stat": "Sum",
                },
            }
            for name in ("bad", "all")
        ),
    ]
    properties = {
        "Metrics": metrics,
        "Threshold": 5,
        "EvaluationPeriods": 1,
        "ComparisonOperator": "GreaterThanThreshold",
    }
    return deploy_one(emulator, {"Type": "AWS::CloudWatch::Alarm", "Properties": properties})


def described_dependency(emulator: Emulated) -> dict[str, str]:
    family = f"task-{time.time_ns()}"
    first, second = {"Name": "first", "Image": "any"}, {"Name": "second", "Image": "any"}
    depends = {"DependsOn": [{"ContainerName": "first", "Condition": "HEALTHY"}]}
    definition = {"Family": family, "ContainerDefinitions": [first, second | depends]}
    deploy_one(emulator, {"Type": "AWS::ECS::TaskDefinition", "Properties": definition})
    answer = emulator.cloud.client("ecs").describe_task_definition(taskDefinition=family)
    dependency: dict[str, str] = answer["taskDefinition"]["containerDefinitions"][1]["dependsOn"][0]
    return dependency


def listener_of_page(emulator: Emulated) -> Listener:
    client, name = emulator.cloud.client("elbv2"), f"balancer-{time.time_ns()}"
    [balancer] = client.create_load_balancer(Name=name)["LoadBalancers"]
    answer = {"StatusCode": "404", "ContentType": "text/html", "MessageBody": PAGE}
    action = {"Type": "fixed-response", "FixedResponseConfig": answer}
    [listener] = client.create_listener(
        LoadBalancerArn=balancer["LoadBalancerArn"],
        Port=80,
        Protocol="HTTP",
        DefaultActions=[action],
    )["Listeners"]
    return read_listener(client, listener["ListenerArn"])


def test_a_named_exception_is_caught_by_its_name(patched: Emulated) -> None:
    assert outcome_of_named_error(patched) == "SUCCEEDED"


def test_still_needed_name_exceptions(bare: Emulated) -> None:
    assert outcome_of_named_error(bare) == "FAILED"


def test_no_more_tasks_run_at_once_than_there_are_cores(patched: Emulated, tmp_path: Path) -> None:
    assert most_at_once(patched, tmp_path, seconds=1) <= AT_ONCE


def test_still_needed_limit_parallel_tasks(bare: Emulated, tmp_path: Path) -> None:
    assert most_at_once(bare, tmp_path, seconds=SECONDS / 2) > AT_ONCE


def test_a_killed_function_is_called_killed(patched: Emulated) -> None:
    assert error_of_a_killed_function(patched) == "Runtime.ExitError"


def test_still_needed_name_deaths(bare: Emulated) -> None:
    assert error_of_a_killed_function(bare) == "Runtime.HandlerError"


def test_a_function_is_throttled_at_its_reserved_concurrency(
    unqueued: Emulated, tmp_path: Path
) -> None:
    assert ends_with_one_place_reserved(unqueued, tmp_path / "may-end") == [
        *["Lambda.TooManyRequestsException"] * 3,
        "SUCCEEDED",
    ]


def test_still_needed_throttle_at_reserved_concurrency(bare: Emulated, tmp_path: Path) -> None:
    assert ends_with_one_place_reserved(bare, tmp_path) == ["SUCCEEDED"] * 4


def test_the_log_holds_no_control_character_of_a_message(patched: Emulated) -> None:
    topics = patched.cloud.client("sns")
    topic = topics.create_topic(Name=f"topic-{time.time_ns()}")["TopicArn"]
    topics.publish(TopicArn=topic, Message="hostile \x1b[2J\x9b31m\u202e")
    log = Path(patched.running.log).read_text()
    assert "hostile \\x1b[2J\\x9b31m\\u202e" in log
    assert all(sign.isprintable() or sign in "\n\t" for sign in log)


def test_an_execution_begins_when_it_is_started(patched: Emulated) -> None:
    # A busy machine delays any of them, but not all.
    assert any(delay < 0.14 for delay in seconds_before_first_states(patched, 100))


def test_still_needed_start_at_once(bare: Emulated) -> None:
    assert all(delay >= 0.14 for delay in seconds_before_first_states(bare, 5))


def test_a_child_of_a_map_has_a_batch_of_items(patched: Emulated) -> None:
    first = {"BatchInput": {"of": "x"}, "Items": [{"n": 0}, {"n": 1}]}
    assert children_of_a_map(patched) == [first, {"BatchInput": {"of": "x"}, "Items": [{"n": 2}]}]


def test_still_needed_batch_items(bare: Emulated) -> None:
    assert children_of_a_map(bare) == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_messages_that_wait_come_together(patched: Emulated, tmp_path: Path) -> None:
    assert sizes_of_batches(patched, tmp_path) == [25]


def test_still_needed_gather_batches(bare: Emulated, tmp_path: Path) -> None:
    assert max(sizes_of_batches(bare, tmp_path)) == 10


def test_functions_share_code_and_layers_that_are_unpacked_once(patched: Emulated) -> None:
    [(function, shared)] = folders_of_shared_code(patched)
    assert shared.endswith("python/shared_part.py")
    assert not shared.startswith(str(Path(function).parent))


def test_still_needed_unpack_once(bare: Emulated) -> None:
    assert all(len(set(paths)) == 2 for paths in zip(*folders_of_shared_code(bare), strict=True))


def test_a_type_that_only_aws_can_provide_is_accepted(patched: Emulated) -> None:
    assert deploy_accepted_type(patched) == "CREATE_COMPLETE"


def test_still_needed_accept_types(bare: Emulated) -> None:
    with pytest.raises(ClientError, match="Unrecognized resource types"):
        deploy_accepted_type(bare)


def test_an_alarm_of_an_expression_is_accepted(patched: Emulated) -> None:
    assert deploy_alarm_of_expression(patched) == "CREATE_COMPLETE"


def test_still_needed_accept_alarms_of_expressions(bare: Emulated) -> None:
    with pytest.raises(WaiterError, match="ROLLBACK_COMPLETE"):
        deploy_alarm_of_expression(bare)


def test_a_deployed_container_keeps_its_dependencies(patched: Emulated) -> None:
    assert described_dependency(patched) == {"containerName": "first", "condition": "HEALTHY"}


def test_still_needed_keep_container_properties(bare: Emulated) -> None:
    assert described_dependency(bare) == {}


def test_a_listener_answers_with_the_page_that_it_was_given(patched: Emulated) -> None:
    assert listener_of_page(patched) == Listener([], 404, "text/html", PAGE)


def test_still_needed_escape_fixed_responses(bare: Emulated) -> None:
    with pytest.raises(ResponseParserError):
        listener_of_page(bare)
