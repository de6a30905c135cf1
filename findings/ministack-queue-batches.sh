#!/bin/sh
# ministack 1.5.33 (PyPI), an emulator of AWS: a Lambda whose event source mapping of an SQS queue
# says BatchSize 25 is invoked with ten messages at most, though all 25 are there. AWS takes up to
# 10,000 of a standard queue (Lambda, "Creating and configuring an Amazon SQS event source mapping").
set -eu
folder=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
server=
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ministack==1.5.33 boto3==1.43.106
cd "$folder"
GATEWAY_PORT=45671 "$folder/venv/bin/ministack" > server.log 2>&1 &
server=$!
"$folder/venv/bin/python" - "$folder/batches" <<'PY'
import io
import pathlib
import sys
import time
import zipfile

import boto3

seen = pathlib.Path(sys.argv[1])
seen.touch()
told = {"region_name": "us-east-1", "endpoint_url": "http://127.0.0.1:45671"}
told |= {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
sqs, functions, iam = (boto3.client(name, **told) for name in ("sqs", "lambda", "iam"))
for _ in range(120):
    try:
        queue = sqs.create_queue(QueueName="q", Attributes={"VisibilityTimeout": "60"})["QueueUrl"]
        break
    except Exception:
        time.sleep(0.5)
source = f"""
def handler(event, context):
    with open({str(seen)!r}, "a") as file:
        file.write(str(len(event["Records"])) + chr(10))
"""
code = io.BytesIO()
with zipfile.ZipFile(code, "w") as archive:
    archive.writestr("f.py", source)
role = iam.create_role(RoleName="r", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
functions.create_function(
    FunctionName="f", Runtime="python3.11", Handler="f.handler", Role=role,
    Code={"ZipFile": code.getvalue()},
)
for start in range(0, 25, 5):
    sqs.send_message_batch(
        QueueUrl=queue,
        Entries=[{"Id": str(n), "MessageBody": str(n)} for n in range(start, start + 5)],
    )
arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
begun = time.monotonic()
functions.create_event_source_mapping(
    EventSourceArn=arn, FunctionName="f", BatchSize=25, MaximumBatchingWindowInSeconds=5
)
while sum(map(int, seen.read_text().split())) < 25 and time.monotonic() - begun < 60:
    time.sleep(0.05)
batches = [int(one) for one in seen.read_text().split()]
print("25 messages were there, BatchSize 25; messages of each invocation:", batches)
assert sum(batches) == 25, "this has changed: not all messages came once"
assert max(batches) == 10, "this has changed: an invocation has another number than ten at most"
PY
