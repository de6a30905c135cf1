"""The edge's access log: CloudFront's standard logging v2, into a bucket of the environment.

Only CloudWatch Logs in the global region accepts CloudFront as a source. The bucket may be in any
region, so the viewers' addresses stay in the environment's.
"""

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.environments import Environment

SUFFIX_PATH = "{DistributionId}/{yyyy}/{MM}/{dd}/{HH}"
"""Path below the account's folder, so that a day or an hour can be read alone."""

RECORD_FIELDS = (
    *("date", "time", "time-taken", "time-to-first-byte", "x-edge-location", "x-edge-request-id"),
    *("c-ip", "c-country", "c-port", "x-forwarded-for", "cs(User-Agent)", "cs(Referer)"),
    *("cs-method", "cs(Host)", "x-host-header", "cs-uri-stem", "cs-bytes"),
    *("cs-protocol", "cs-protocol-version", "ssl-protocol", "ssl-cipher"),
    *("sc-status", "sc-bytes", "sc-content-type", "sc-content-len"),
    *("sc-range-start", "sc-range-end"),
    *("x-edge-result-type", "x-edge-response-result-type", "x-edge-detailed-result-type"),
)
"""All that CloudFront logs (Developer Guide, "Standard logging reference"), but what would let in
those who read it: cookies have tickets, and queries a provider's codes. Field-level encryption is
not used. The country is one of the fields of real-time logs that standard logging v2 has as well
(the same guide, "Configure standard logging (v2)")."""


def edge_log_prefix(account: str, distribution_id: str) -> str:
    """Return the folder of a distribution's log in its bucket, with a slash at its end."""
    return f"AWSLogs/{account}/CloudFront/{distribution_id}/"


class EdgeLogs(Construct):
    """The delivery of each request as a line of JSON; it has to be in the global region."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        distribution_arn: str,
        bucket_arn: str,
    ) -> None:
        super().__init__(scope, id_)
        name = f"vitrine-{environment.name}-edge"
        source = logs.CfnDeliverySource(
            self, "Source", name=name, log_type="ACCESS_LOGS", resource_arn=distribution_arn
        )
        destination = logs.CfnDeliveryDestination(
            self,
            "Destination",
            name=name,
            destination_resource_arn=bucket_arn,
            output_format="json",
        )
        delivery = logs.CfnDelivery(
            self,
            "Delivery",
            delivery_source_name=source.name,
            delivery_destination_arn=destination.attr_arn,
            record_fields=[*RECORD_FIELDS],
            s3_suffix_path=SUFFIX_PATH,
        )
        # It refers to the source by a name, in which CloudFormation sees no dependency.
        delivery.add_resource_dependency(source)


def allow_log_delivery(bucket: s3.Bucket, account: str) -> None:
    """Allow what CloudWatch Logs, "Enabling logging from AWS services", needs of a bucket."""
    bucket.add_to_resource_policy(
        iam.PolicyStatement(
            actions=["s3:PutObject"],
            principals=[iam.ServicePrincipal("delivery.logs.amazonaws.com")],
            resources=[bucket.arn_for_objects(f"AWSLogs/{account}/*")],
            conditions={
                "StringEquals": {
                    "s3:x-amz-acl": "bucket-owner-full-control",
                    "aws:SourceAccount": account,
                },
                # Sources of any region: CloudFront's are in the global one.
                "ArnLike": {
                    "aws:SourceArn": cdk.Fn.sub(
                        f"arn:${{AWS::Partition}}:logs:*:{account}:delivery-source:*"
                    )
                },
            },
        )
    )
