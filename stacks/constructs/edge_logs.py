"""The edge's access log: CloudFront's standard logging v2, into a bucket of the environment.

Only CloudWatch Logs of the global region takes CloudFront as a source. The bucket may stand
anywhere, so the viewers' addresses stay in the environment's region.
"""

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.environments import Environment

SUFFIX_PATH = "{DistributionId}/{yyyy}/{MM}/{dd}/{HH}"
"""Below `AWSLogs/ACCOUNT/CloudFront/`, so that a day or an hour can be read alone."""


class EdgeLogs(Construct):
    """Every request of a distribution as a line of JSON; stands in the global region."""

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
            s3_suffix_path=SUFFIX_PATH,
        )
        # It names the source as text, which CloudFormation does not see.
        delivery.add_resource_dependency(source)


def let_log_delivery_in(bucket: s3.Bucket, account: str) -> None:
    """What "Enabling logging from AWS services" asks of the bucket of a delivery."""
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
                # Of any region: only the global one has CloudFront's.
                "ArnLike": {
                    "aws:SourceArn": cdk.Fn.sub(
                        f"arn:${{AWS::Partition}}:logs:*:{account}:delivery-source:*"
                    )
                },
            },
        )
    )
