"""Where AWS is, as the process's environment says."""

import os

from vitrine.adapters.aws.access import AwsAccess


def environment_access(region: str | None = None) -> AwsAccess:
    """Return AWS as AWS_ENDPOINT_URL and the normal chain of credentials describe it.

    Without a `region` that chain decides it, too, as in a Lambda.
    """
    return AwsAccess(os.environ.get("AWS_ENDPOINT_URL") or None, region)
