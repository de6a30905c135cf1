"""Synthesizes one environment: `npx cdk synth -c environment=dev|staging|prod`."""

import sys

from stacks.constructs.lambda_layers import LayerMissing
from stacks.environments import ENVIRONMENTS
from stacks.loadtest import LoadTestStack
from stacks.service import add_stacks, new_app

app = new_app()
name = app.node.try_get_context("environment") or "dev"
if name not in ENVIRONMENTS:
    sys.exit(f"there is no environment {name!r}: choose one of {', '.join(ENVIRONMENTS)}")
try:
    add_stacks(app, ENVIRONMENTS[name])
except LayerMissing as missing:
    sys.exit(str(missing))
if app.node.try_get_context("loadtest") == "true":
    LoadTestStack(app, environment=ENVIRONMENTS[name])
app.synth()
