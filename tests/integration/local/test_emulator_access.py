"""Who may do what on the emulator: as on AWS with our patches, and still not without.

When `test_still_needed_<patch>` fails, ministack does as AWS does by now: drop the patch.
"""

import json
import time
import urllib.error
import urllib.request
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.integration.local.conftest import REGION
from tests.integration.local.emulators import Emulated, make_function
from vitrine.adapters.aws.access import AwsAccess
from vitrine.local import emulator

READS = """
import boto3, botocore
def handler(event, context):
    storage = boto3.client("s3")
    def code_of(call, **parameters):
        try:
            call(**parameters)
            return "done"
        except botocore.exceptions.ClientError as error:
            return error.response["Error"]["Code"]
    return [code_of(storage.get_object, Bucket=event["bucket"], Key=event["key"]),
            code_of(storage.put_object, Bucket=event["bucket"], Key="key", Body=b"2"),
            code_of(boto3.client("dynamodb").list_tables)]
"""
TLS_ONLY = {
    "Effect": "Deny",
    "Action": "s3:*",
    "Principal": "*",
    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
}
KEY, TWO_LINES = "key", "two\nlines"
DISTRIBUTION = emulator.distribution_arn("E123")


def bucket_with_a_key(cloud: Any, *statements: dict[str, Any]) -> str:
    name = f"rights-{time.time_ns()}"
    storage = cloud.client("s3")
    storage.create_bucket(Bucket=name)
    for key in (KEY, TWO_LINES):
        storage.put_object(Bucket=name, Key=key, Body=b"1")
    resources = [f"arn:aws:s3:::{name}", f"arn:aws:s3:::{name}/*"]
    policy = {"Statement": [item | {"Resource": resources} for item in (*statements, TLS_ONLY)]}
    storage.put_bucket_policy(Bucket=name, Policy=json.dumps(policy))
    return name


def role_that_reads(cloud: Any, bucket: str) -> str:
    roles = cloud.client("iam")
    name = f"reads-{time.time_ns()}"
    arn = roles.create_role(RoleName=name, AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    statement = {
        "Effect": "Allow",
        "Action": "s3:GetObject",
        "Resource": f"arn:aws:s3:::{bucket}/*",
    }
    document = json.dumps({"Statement": [statement]})
    roles.put_role_policy(RoleName=name, PolicyName="reads", PolicyDocument=document)
    return str(arn)


def what_a_function_may_do(emulated: Emulated, key: str = KEY) -> list[str]:
    bucket = bucket_with_a_key(emulated.cloud)
    name = f"reads-{time.time_ns()}"
    make_function(emulated.cloud, name, READS, role=role_that_reads(emulated.cloud, bucket))
    answer = emulated.cloud.client("lambda").invoke(
        FunctionName=name, Payload=json.dumps({"bucket": bucket, "key": key})
    )
    done: list[str] = json.loads(answer["Payload"].read())
    return done


def of_a_task(emulated: Emulated, role: str, monkeypatch: pytest.MonkeyPatch) -> AwsAccess:
    """Return the access of a process that has nothing but a task's variables."""
    port = int(str(emulated.cloud.endpoint_url).rpartition(":")[2])
    for name, value in emulator.task_credentials(REGION, port, role).items():
        monkeypatch.setenv(name, value)
    return AwsAccess(emulated.cloud.endpoint_url, REGION, attempts=1)


def what_a_task_may_do(emulated: Emulated, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    bucket = bucket_with_a_key(emulated.cloud)
    storage = of_a_task(emulated, role_that_reads(emulated.cloud, bucket), monkeypatch).client("s3")
    assert storage.get_object(Bucket=bucket, Key="key")["Body"].read() == b"1"
    with pytest.raises(ClientError) as refusal:
        storage.put_object(Bucket=bucket, Key="key", Body=b"2")
    return ["done", refusal.value.response["Error"]["Code"]]


def status_at_the_edge(emulated: Emulated, distribution: str) -> int:
    allowed = {
        "Effect": "Allow",
        "Action": ["s3:GetObject", "s3:ListBucket"],
        "Principal": {"Service": "cloudfront.amazonaws.com"},
        "Condition": {"StringEquals": {"AWS:SourceArn": DISTRIBUTION}},
    }
    bucket = bucket_with_a_key(emulated.cloud, allowed)
    address = f"{emulated.cloud.endpoint_url}/{bucket}/key"
    request = urllib.request.Request(address, headers={"X-Edge-Distribution": distribution})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_a_function_may_do_what_its_role_allows_and_nothing_else(patched: Emulated) -> None:
    assert what_a_function_may_do(patched) == ["done", "AccessDenied", "AccessDeniedException"]


def test_still_needed_count_as_encrypted(bare: Emulated) -> None:
    assert what_a_function_may_do(bare)[0] == "AccessDenied"


FORM = (
    "Action=ListQueues&Version=2012-11-05&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=0"
    "&X-Amz-Credential=test/20261129/us-east-1/sqs/aws4_request&X-Amz-Date=20261129T190000Z"
    "&X-Amz-SignedHeaders=host&X-Amz-Expires=3600"
)
FOREIGN: list[dict[str, str]] = [
    {"Host": "evil.example"},
    {"Host": "127.0.0.1.evil.example"},
    {"Host": "abc.lambda-url.us-east-1.evil.example"},
    {"Origin": "https://evil.example"},
    {"Origin": "http://127.0.0.1.evil.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Host": "evil.example", "X-Edge-Distribution": DISTRIBUTION},
]


def status_of_a_form(emulated: Emulated, headers: dict[str, str]) -> int:
    address = f"{emulated.cloud.endpoint_url}/?{FORM}"
    request = urllib.request.Request(address, data=b"", headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize("headers", FOREIGN)
def test_no_page_of_others_sends_the_emulator_a_form(
    patched: Emulated, headers: dict[str, str]
) -> None:
    assert status_of_a_form(patched, headers) == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Host": "localhost:1"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "same-site"},
        {"Origin": "http://localhost:8080", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://viewer.example", "X-Edge-Distribution": DISTRIBUTION},
    ],
)
def test_programs_our_edge_and_pages_of_this_machine_reach_the_emulator(
    patched: Emulated, headers: dict[str, str]
) -> None:
    assert status_of_a_form(patched, headers) == 200


def test_still_needed_refuse_pages_of_others(bare: Emulated) -> None:
    assert status_of_a_form(bare, FOREIGN[0]) == 200


def test_a_key_may_hold_the_end_of_a_line(patched: Emulated) -> None:
    assert what_a_function_may_do(patched, TWO_LINES)[0] == "done"


def test_still_needed_match_any_character(unsourced: Emulated) -> None:
    assert what_a_function_may_do(unsourced, TWO_LINES)[0] == "AccessDenied"


def test_a_task_may_do_what_its_role_allows_and_nothing_else(
    patched: Emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert what_a_task_may_do(patched, monkeypatch) == ["done", "AccessDenied"]


def test_still_needed_give_tasks_their_role(
    bare: Emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ClientError, match="InvalidAccessKeyId"):
        what_a_task_may_do(bare, monkeypatch)


def test_the_edge_reads_what_the_policy_of_a_bucket_allows_its_distribution(
    patched: Emulated,
) -> None:
    assert status_at_the_edge(patched, DISTRIBUTION) == 200
    assert status_at_the_edge(patched, emulator.distribution_arn("E999")) == 403
    assert status_at_the_edge(patched, "") == 403


def test_still_needed_let_the_edge_read(bare: Emulated) -> None:
    assert status_at_the_edge(bare, DISTRIBUTION) == 403


def sent_events(emulated: Emulated, monkeypatch: pytest.MonkeyPatch, source: str) -> int:
    """Return how many of one event a task may send whose role allows the source `ours`."""
    roles, name = emulated.cloud.client("iam"), f"sends-{time.time_ns()}"
    role = roles.create_role(RoleName=name, AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    statement = {
        "Effect": "Allow",
        "Action": "events:PutEvents",
        "Resource": "*",
        "Condition": {"StringEquals": {"events:source": "ours"}},
    }
    document = json.dumps({"Statement": [statement]})
    roles.put_role_policy(RoleName=name, PolicyName="sends", PolicyDocument=document)
    bus = of_a_task(emulated, role, monkeypatch).client("events")
    answer = bus.put_events(Entries=[{"Source": source, "DetailType": "any", "Detail": "{}"}])
    return 1 - int(answer["FailedEntryCount"])


def test_a_condition_on_the_source_of_an_event_is_heeded(
    patched: Emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sent_events(patched, monkeypatch, "ours") == 1
    with pytest.raises(ClientError, match="AccessDenied"):
        sent_events(patched, monkeypatch, "another")


def test_still_needed_know_the_source_of_events(
    unsourced: Emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ClientError, match="AccessDenied"):
        sent_events(unsourced, monkeypatch, "ours")


def deleted_at_once(emulated: Emulated, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many messages a task deletes in a batch whose role may delete messages."""
    roles, name = emulated.cloud.client("iam"), f"deletes-{time.time_ns()}"
    role = roles.create_role(RoleName=name, AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    statement = {"Effect": "Allow", "Action": "sqs:DeleteMessage", "Resource": "*"}
    document = json.dumps({"Statement": [statement]})
    roles.put_role_policy(RoleName=name, PolicyName="deletes", PolicyDocument=document)
    queues = emulated.cloud.client("sqs")
    url = queues.create_queue(QueueName=name)["QueueUrl"]
    queues.send_message(QueueUrl=url, MessageBody="1")
    (message,) = queues.receive_message(QueueUrl=url)["Messages"]
    entry = {"Id": "0", "ReceiptHandle": message["ReceiptHandle"]}
    task = of_a_task(emulated, role, monkeypatch).client("sqs")
    return len(task.delete_message_batch(QueueUrl=url, Entries=[entry])["Successful"])


def test_who_may_delete_a_message_may_delete_a_batch(
    patched: Emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert deleted_at_once(patched, monkeypatch) == 1


def test_still_needed_take_a_batch_for_its_action(
    unsourced: Emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ClientError, match="AccessDenied"):
        deleted_at_once(unsourced, monkeypatch)


def look_at_map_run(emulated: Emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for a Map Run that there is not, as a task that may look at those of one machine."""
    roles, name = emulated.cloud.client("iam"), f"follows-{time.time_ns()}"
    role = roles.create_role(RoleName=name, AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    prefix = f"arn:aws:states:{REGION}:{emulator.ACCOUNT}:mapRun:migrates/"
    statement = {"Effect": "Allow", "Action": "states:DescribeMapRun", "Resource": f"{prefix}*"}
    document = json.dumps({"Statement": [statement]})
    roles.put_role_policy(RoleName=name, PolicyName="follows", PolicyDocument=document)
    task = of_a_task(emulated, role, monkeypatch).client("stepfunctions")
    task.describe_map_run(mapRunArn=f"{prefix}each:none")


def test_who_may_follow_a_map_run_may_follow_it(
    patched: Emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ClientError, match="Does Not Exist"):
        look_at_map_run(patched, monkeypatch)


def test_still_needed_hold_map_runs_against_policies(
    unsourced: Emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ClientError, match="AccessDenied"):
        look_at_map_run(unsourced, monkeypatch)
