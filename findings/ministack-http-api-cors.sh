#!/bin/sh
# ministack 1.5.33 (PyPI), an emulator of AWS: of an HTTP API with CorsConfiguration, a preflight is
# answered by 204 if CreateApi made it, and by 403 "CORS origin denied" if CloudFormation did, though
# the template says the same (AWS::ApiGatewayV2::Api, AllowOrigins "*"). AWS takes both alike.
set -eu
folder=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
server=
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ministack==1.5.33 boto3==1.43.106
cd "$folder"
GATEWAY_PORT=45673 "$folder/venv/bin/ministack" > server.log 2>&1 &
server=$!
"$folder/venv/bin/python" - <<'PY'
import json
import time
import urllib.error
import urllib.request

import boto3

endpoint = "http://127.0.0.1:45673"
told = {"region_name": "us-east-1", "endpoint_url": endpoint}
told |= {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
gateway, stacks = (boto3.client(name, **told) for name in ("apigatewayv2", "cloudformation"))
cors = {"AllowOrigins": ["*"], "AllowMethods": ["POST"], "AllowHeaders": ["content-type"]}
for _ in range(120):
    try:
        called = gateway.create_api(Name="c", ProtocolType="HTTP", CorsConfiguration=cors)["ApiId"]
        break
    except Exception:
        time.sleep(0.5)
properties = {"Name": "s", "ProtocolType": "HTTP", "CorsConfiguration": cors}
template = {
    "Resources": {"Api": {"Type": "AWS::ApiGatewayV2::Api", "Properties": properties}},
    "Outputs": {"Id": {"Value": {"Ref": "Api"}}},
}
stacks.create_stack(StackName="s", TemplateBody=json.dumps(template))
stacks.get_waiter("stack_create_complete").wait(StackName="s", WaiterConfig={"Delay": 1})
[output] = stacks.describe_stacks(StackName="s")["Stacks"][0]["Outputs"]
asked = {
    "Origin": "https://page.example.org",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type",
}
seen = {}
for name, api in (("CreateApi", called), ("CloudFormation", output["OutputValue"])):
    gateway.create_stage(ApiId=api, StageName="$default", AutoDeploy=True)
    address = f"{endpoint}/_aws/execute-api/{api}/x"
    request = urllib.request.Request(address, method="OPTIONS", headers=asked)
    try:
        with urllib.request.urlopen(request) as answer:
            status, body = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, body = error.code, error.read()
    kept = gateway.get_api(ApiId=api).get("CorsConfiguration")
    seen[name] = status
    print(f"{name}: {status} {body.decode()} CorsConfiguration: {kept}")
assert seen == {"CreateApi": 204, "CloudFormation": 403}, "this has changed"
PY
