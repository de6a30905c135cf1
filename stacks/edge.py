"""Edge: CloudFront before the images and the site, and the web ACL before it."""

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs.edge_invalidation import EdgeInvalidation
from stacks.constructs.edge_logs import EdgeLogs, let_log_delivery_in
from stacks.constructs.image_distribution import ImageDistribution
from stacks.constructs.web_acl import WebAcl
from stacks.deliver import DeliverStack
from stacks.edge_logs import EdgeLogsStack
from stacks.environments import Environment
from stacks.firewall import GLOBAL_REGION, FirewallStack
from stacks.ingest import IngestStack
from stacks.stage import StageStack
from stacks.store import StoreStack


class EdgeStack(StageStack):
    """`firewall` holds the web ACL where this stack's own region cannot."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        store: StoreStack,
        deliver: DeliverStack,
        ingest: IngestStack,
        firewall: FirewallStack | None,
    ) -> None:
        """Raises ValueError when the region needs a firewall stack and there is none."""
        super().__init__(scope, "edge", environment=environment)
        if firewall is None and environment.region != GLOBAL_REGION:
            raise ValueError(f"an edge in {environment.region} needs a firewall stack")
        acl = firewall.web_acl if firewall else WebAcl(self, "WebAcl", environment=environment)
        # As its own the bucket would get its policy in the store stack: a circle of stacks.
        site = s3.Bucket.from_bucket_attributes(
            self,
            "Site",
            bucket_name=store.site.bucket_name,
            bucket_regional_domain_name=store.site.bucket_regional_domain_name,
        )
        self.distribution = ImageDistribution(
            self,
            "Distribution",
            environment=environment,
            site=site,
            balancer=deliver.balancer,
            web_acl_arn=acl.attr_arn,
        )
        # The VPC origin needs the Internet gateway's attachment.
        self.add_stack_dependency(deliver)
        EdgeInvalidation(
            self,
            "Invalidation",
            environment=environment,
            distribution=self.distribution,
            identifier_ttl_seconds=deliver.settings.identifier_ttl_seconds,
            alarms=ingest.alarms,
        )
        self._open_site(store.site)
        self._keep_logs(scope, environment, store.access_logs)
        self.publish_outputs(
            {
                "DistributionDomainName": self.distribution.distribution_domain_name,
                "DistributionId": self.distribution.distribution_id,
            }
        )

    def _keep_logs(self, scope: Construct, environment: Environment, bucket: s3.Bucket) -> None:
        let_log_delivery_in(bucket, environment.account)
        template = bucket.node.default_child
        # By the L2's own attributes a bucket must be named by us to be known in another region.
        assert isinstance(template, s3.CfnBucket)
        names = {
            "distribution_arn": self.distribution.distribution_arn,
            "bucket_arn": template.attr_arn,
        }
        if environment.region == GLOBAL_REGION:
            EdgeLogs(self, "EdgeLogs", environment=environment, **names)
            return
        for resource in (self.distribution, bucket):
            cdk.CrossStackReferences.of(resource).produce(cdk.ReferenceStrength.WEAK)
        EdgeLogsStack(scope, environment=environment, **names)

    def _open_site(self, site: s3.IBucket) -> None:
        """The site bucket's whole policy: this distribution reads, and nobody without TLS."""
        ours = {"StringEquals": {"AWS:SourceArn": self.distribution.distribution_arn}}
        # Without ListBucket an absent page would answer 403; `/` and queries never reach S3.
        reading = {
            "s3:GetObject": site.arn_for_objects("*"),
            "s3:ListBucket": site.bucket_arn,
        }
        policy = iam.PolicyDocument(
            statements=[
                *(
                    iam.PolicyStatement(
                        actions=[action],
                        principals=[iam.ServicePrincipal("cloudfront.amazonaws.com")],
                        resources=[resource],
                        conditions=ours,
                    )
                    for action, resource in reading.items()
                ),
                iam.PolicyStatement(
                    effect=iam.Effect.DENY,
                    actions=["s3:*"],
                    principals=[iam.AnyPrincipal()],
                    resources=[site.bucket_arn, site.arn_for_objects("*")],
                    conditions={"Bool": {"aws:SecureTransport": "false"}},
                ),
            ]
        )
        s3.CfnBucketPolicy(self, "SitePolicy", bucket=site.bucket_name, policy_document=policy)
        cdk.Validations.of(self.distribution).acknowledge(
            cdk.Acknowledgment(
                id="Annotation::@aws-cdk/aws-cloudfront-origins:updateImportedBucketPolicyOac",
                reason="SitePolicy is that policy.",
            )
        )
