"""What the process has imported that `forked_vitrine` forks: all commands, and AWS's services."""

import gc

from vitrine.adapters.aws.access import AwsAccess
from vitrine.cli import build_app

SERVICES = ("s3", "dynamodb", "sqs", "stepfunctions", "events", "cloudformation")

build_app()
for service in SERVICES:  # this asks nobody; the descriptions that it reads are kept
    AwsAccess("http://127.0.0.1:1", "us-east-1", dummy_credentials=True).client(service)
gc.freeze()
