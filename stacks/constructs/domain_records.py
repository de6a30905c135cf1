"""The records that lead a domain to the distribution."""

from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_route53 as route53
from constructs import Construct

ALIAS_ZONE = "Z2FDTNDATAQYW2"
"""Hosted zone of every distribution, as an alias to one names it (Route 53, "AliasTarget")."""
TYPES = ("A", "AAAA")


class DomainRecords(Construct):
    """Aliases of a name, for IPv4 and IPv6, in a hosted zone of the same account."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        distribution: cloudfront.IDistribution,
        hosted_zone_id: str,
        name: str,
    ) -> None:
        super().__init__(scope, id_)
        for kind in TYPES:
            route53.CfnRecordSet(
                self,
                kind,
                hosted_zone_id=hosted_zone_id,
                name=name,
                type=kind,
                alias_target=route53.CfnRecordSet.AliasTargetProperty(
                    dns_name=distribution.distribution_domain_name, hosted_zone_id=ALIAS_ZONE
                ),
            )
