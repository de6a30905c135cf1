"""Where AWS is, as the process's environment says."""

import os

from vitrine.adapters.aws.access import AwsAccess


def environment_access() -> AwsAccess:
    """Return AWS as AWS_ENDPOINT_URL and the normal chain of credentials and region describe it."""
    return AwsAccess(endpoint_url=os.environ.get("AWS_ENDPOINT_URL") or None)
