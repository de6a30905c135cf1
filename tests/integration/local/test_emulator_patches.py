"""Each patch: AWS's behaviour holds with it, and still not without it.

When `test_still_needed_<patch>` fails, ministack does as AWS does by now: drop the patch.
"""

import json
import os
import time
from pathlib import Path

import pytest
from botocore.exceptions import BotoCoreError, ClientError, WaiterError

from tests.integration.local.emulators import (
    ROLE,
    Emulated,
    deploy_one,
    make_function,
    make_machine,
    packed,
    run_machine,
)

KEYS = ("a\x1b[2J.tif", "b & c <d> é+%.tif", "e/f.tif")
MEGABYTE = 2**20


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


def most_at_once(emulator: Emulated) -> int:
    name = f"parallel-{time.time_ns()}"
    code = (
        "import time\n"
        "def handler(event, context):\n"
        "    begun = time.time(); time.sleep(1.0); return [begun, time.time()]\n"
    )
    machine = make_machine(
        emulator.cloud, name, make_function(emulator.cloud, name, code), catch=[]
    )
    spans = [json.loads(item["output"]) for item in run_machine(emulator.cloud, machine, 6)]
    return max(sum(begun <= moment < ended for begun, ended in spans) for moment, _ in spans)


def error_of_a_killed_function(emulator: Emulated) -> str:
    name = f"killed-{time.time_ns()}"
    code = "import os, signal\ndef handler(event, context): os.kill(os.getpid(), signal.SIGKILL)\n"
    machine = make_machine(
        emulator.cloud, name, make_function(emulator.cloud, name, code), catch=[]
    )
    return str(run_machine(emulator.cloud, machine)[0]["error"])


def ends_with_one_place_reserved(emulator: Emulated) -> list[str]:
    """Return how four executions end whose function may run once at a time, without a retry."""
    code = "import time\ndef handler(event, context): time.sleep(2)\n"
    function = {
        "Type": "AWS::Lambda::Function",
        "Properties": {
            "Runtime": "python3.13",
            "Role": ROLE,
            "Handler": "index.handler",
            "Code": {"ZipFile": code},
            "Timeout": 30,
            "ReservedConcurrentExecutions": 1,
        },
    }
    deploy_one(emulator, function)
    functions = emulator.cloud.client("lambda").list_functions()["Functions"]
    name = max(functions, key=lambda item: str(item["LastModified"]))["FunctionName"]
    machine = make_machine(emulator.cloud, f"one-{time.time_ns()}", name, catch=[])
    ended = run_machine(emulator.cloud, machine, 4)
    return sorted(item.get("error", item["status"]) for item in ended)


def bytes_read_for_a_range(emulator: Emulated) -> int:
    storage = emulator.cloud.client("s3")
    bucket = f"ranges-{time.time_ns()}"
    storage.create_bucket(Bucket=bucket)
    storage.put_object(Bucket=bucket, Key="large", Body=bytes(32 * MEGABYTE))
    before = _characters_read(emulator.running.pid)
    for start in range(0, 10 * MEGABYTE, MEGABYTE):
        answer = storage.get_object(
            Bucket=bucket, Key="large", Range=f"bytes={start}-{start + 65535}"
        )
        assert len(answer["Body"].read()) == 65536
    return _characters_read(emulator.running.pid) - before


def _characters_read(pid: int) -> int:
    counters = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(counters["rchar"])


def range_of_an_old_version(emulator: Emulated) -> tuple[int, bytes]:
    storage = emulator.cloud.client("s3")
    bucket = f"versions-{time.time_ns()}"
    storage.create_bucket(Bucket=bucket)
    storage.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    old = storage.put_object(Bucket=bucket, Key="key", Body=b"0123456789")["VersionId"]
    storage.put_object(Bucket=bucket, Key="key", Body=b"abcdefghij")
    answer = storage.get_object(Bucket=bucket, Key="key", VersionId=old, Range="bytes=2-4")
    return answer["ResponseMetadata"]["HTTPStatusCode"], answer["Body"].read()


def listed_keys(emulator: Emulated) -> list[str]:
    storage = emulator.cloud.client("s3")
    bucket = f"keys-{time.time_ns()}"
    storage.create_bucket(Bucket=bucket)
    storage.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    for key in KEYS:
        storage.put_object(Bucket=bucket, Key=key, Body=b"1")
    return [item["Key"] for item in storage.list_object_versions(Bucket=bucket)["Versions"]]


def seconds_before_the_first_state(emulator: Emulated) -> float:
    states = emulator.cloud.client("stepfunctions")
    definition = {"StartAt": "Only", "States": {"Only": {"Type": "Succeed"}}}
    machine = states.create_state_machine(
        name=f"pass-{time.time_ns()}", roleArn=ROLE, definition=json.dumps(definition)
    )["stateMachineArn"]
    waited: list[float] = []
    for _ in range(5):
        ended = run_machine(emulator.cloud, machine)[0]["executionArn"]
        events = states.get_execution_history(executionArn=ended)["events"]
        waited.append((events[1]["timestamp"] - events[0]["timestamp"]).total_seconds())
    return min(waited)


def memory_for_masters(emulator: Emulated) -> int:
    """Return the bytes by which the emulator grows with 128 MiB of versioned objects."""
    storage = emulator.cloud.client("s3")
    bucket = f"memory-{time.time_ns()}"
    storage.create_bucket(Bucket=bucket)
    storage.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    before = _resident_bytes(emulator.running.pid)
    for number in range(16):
        storage.put_object(Bucket=bucket, Key=str(number), Body=os.urandom(8 * MEGABYTE))
    return _resident_bytes(emulator.running.pid) - before


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


def _resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


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


def test_a_named_exception_is_caught_by_its_name(patched: Emulated) -> None:
    assert outcome_of_named_error(patched) == "SUCCEEDED"


def test_still_needed_name_exceptions(bare: Emulated) -> None:
    assert outcome_of_named_error(bare) == "FAILED"


def test_no_more_tasks_run_at_once_than_there_are_cores(patched: Emulated) -> None:
    assert most_at_once(patched) <= max(2, os.cpu_count() or 2)


def test_still_needed_limit_parallel_tasks(bare: Emulated) -> None:
    # Six, unless the machine is busy.
    assert most_at_once(bare) > max(2, os.cpu_count() or 2)


def test_a_killed_function_is_called_killed(patched: Emulated) -> None:
    assert error_of_a_killed_function(patched) == "Runtime.ExitError"


def test_still_needed_name_deaths(bare: Emulated) -> None:
    assert error_of_a_killed_function(bare) == "Runtime.HandlerError"


def test_a_function_is_throttled_at_its_reserved_concurrency(unqueued: Emulated) -> None:
    assert ends_with_one_place_reserved(unqueued) == [
        *["Lambda.TooManyRequestsException"] * 3,
        "SUCCEEDED",
    ]


def test_still_needed_throttle_at_reserved_concurrency(bare: Emulated) -> None:
    assert ends_with_one_place_reserved(bare) == ["SUCCEEDED"] * 4


def test_a_ranged_read_reads_the_range_only(patched: Emulated) -> None:
    assert bytes_read_for_a_range(patched) < 8 * MEGABYTE


def test_still_needed_read_ranges_from_disk(bare: Emulated) -> None:
    assert bytes_read_for_a_range(bare) > 300 * MEGABYTE


def test_a_range_of_a_named_version_is_honoured(patched: Emulated) -> None:
    assert range_of_an_old_version(patched) == (206, b"234")


def test_still_needed_read_ranges_from_disk_of_versions(bare: Emulated) -> None:
    assert range_of_an_old_version(bare) == (200, b"0123456789")


def test_keys_with_characters_that_xml_cannot_hold_are_listed(patched: Emulated) -> None:
    assert sorted(listed_keys(patched)) == sorted(KEYS)


def test_still_needed_encode_listed_keys(bare: Emulated) -> None:
    with pytest.raises((ClientError, BotoCoreError)):
        listed_keys(bare)


def test_the_log_holds_no_control_character_of_a_message(patched: Emulated) -> None:
    topics = patched.cloud.client("sns")
    topic = topics.create_topic(Name=f"topic-{time.time_ns()}")["TopicArn"]
    topics.publish(TopicArn=topic, Message="hostile \x1b[2J\x9b31m\u202e")
    log = Path(patched.running.log).read_text()
    assert "hostile \\x1b[2J\\x9b31m\\u202e" in log
    assert all(sign.isprintable() or sign in "\n\t" for sign in log)


def test_an_execution_begins_when_it_is_started(patched: Emulated) -> None:
    assert seconds_before_the_first_state(patched) < 0.14


def test_still_needed_start_at_once(bare: Emulated) -> None:
    assert seconds_before_the_first_state(bare) >= 0.14


def test_functions_share_code_and_layers_that_are_unpacked_once(patched: Emulated) -> None:
    [(function, shared)] = folders_of_shared_code(patched)
    assert shared.endswith("python/shared_part.py")
    assert not shared.startswith(str(Path(function).parent))


def test_still_needed_unpack_once(bare: Emulated) -> None:
    assert all(len(set(paths)) == 2 for paths in zip(*folders_of_shared_code(bare), strict=True))


def test_stored_masters_take_no_memory(patched: Emulated) -> None:
    assert memory_for_masters(patched) < 64 * MEGABYTE


def test_still_needed_keep_versions_on_disk(bare: Emulated) -> None:
    assert memory_for_masters(bare) > 100 * MEGABYTE


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
