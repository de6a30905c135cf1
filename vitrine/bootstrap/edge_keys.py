"""The only place that chooses where the edge has its keys of tickets."""

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.edge_keys import CloudFrontEdgeKeys
from vitrine.adapters.nginx.edge_keys import NginxEdgeKeys
from vitrine.bootstrap.local_service import local_directory
from vitrine.ports import EdgeKeys


def edge_keys(access: AwsAccess, arn: str, *, on_this_machine: bool) -> EdgeKeys:
    """Return nginx's file on this machine, and a key-value store of CloudFront anywhere else."""
    if on_this_machine:
        return NginxEdgeKeys(local_directory() / "edge")
    return CloudFrontEdgeKeys(access.client("cloudfront-keyvaluestore"), arn)
