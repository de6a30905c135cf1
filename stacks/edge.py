"""Edge: CloudFront in front of the images and the site, with its web ACL."""

from urllib.parse import urlsplit

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk.aws_apigatewayv2 import HttpApi
from constructs import Construct

from stacks.constructs.domain_records import DomainRecords
from stacks.constructs.edge_invalidation import EdgeInvalidation
from stacks.constructs.edge_logs import EdgeLogs, allow_log_delivery
from stacks.constructs.image_distribution import ImageDistribution
from stacks.constructs.web_acl import WebAcl
from stacks.deliver import DeliverStack
from stacks.edge_logs import EdgeLogsStack
from stacks.environment_values import Desk
from stacks.environments import Environment
from stacks.firewall import FirewallStack
from stacks.ingest import IngestStack
from stacks.stage import GLOBAL_REGION, StageStack, let_go
from stacks.store import StoreStack
from vitrine.edge.policies import PHOTOS_PATTERN


class EdgeStack(StageStack):
    """`firewall` holds the web ACL if the region of this stack cannot hold it."""

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
        """Raise ValueError if the region needs a firewall stack and none is given."""
        super().__init__(scope, "edge", environment=environment)
        acl = self._web_acl(environment, firewall)
        self.distribution = ImageDistribution(
            self,
            "Distribution",
            environment=environment,
            site=self._name_site(store.site),
            images=deliver.images,
            photo_function=deliver.photo_function,
            authorization_function=deliver.authorization_function,
            content_search_function=deliver.content_search_function,
            mcp_function=deliver.mcp_function,
            web_acl_arn=acl.attr_arn if acl else None,
        )
        let_go(self.distribution)  # a domain takes the place of its name
        # The VPC origin needs the Internet gateway to be attached.
        self.add_stack_dependency(deliver)
        EdgeInvalidation(
            self,
            "Invalidation",
            environment=environment,
            distribution=self.distribution,
            identifier_ttl_seconds=deliver.settings.identifier_ttl_seconds,
            alarms=ingest.alarms,
        )
        if environment.hosted_zone_id and environment.domain_name:
            DomainRecords(
                self,
                "Domain",
                distribution=self.distribution,
                hosted_zone_id=environment.hosted_zone_id,
                name=environment.domain_name,
            )
        self._let_distribution_read(store.site)
        self._keep_logs(scope, environment, store.access_logs)
        self.publish_outputs(
            {
                "DistributionDomainName": self.distribution.distribution_domain_name,
                "DistributionId": self.distribution.distribution_id,
                "FrameAncestors": environment.frame_ancestors,
                "TicketStoreArn": self.distribution.ticket_store.key_value_store_arn,
                **({"PhotoAddress": PHOTOS_PATTERN} if environment.photos else {}),
            }
        )

    def serve_desk(self, desk: Desk, *, issuer: str, api: HttpApi, masters: s3.IBucket) -> None:
        """Serve the desk, once there is an API, whose stack needs this one's names.

        `issuer` is that of the API's tokens.
        """
        sign_in = urlsplit(issuer)
        self.distribution.serve_desk(
            [
                api.api_endpoint,
                f"https://{masters.bucket_name}.s3.{self.region}.amazonaws.com",
                f"{sign_in.scheme}://{sign_in.netloc}",
                *desk.sign_in_origins,
            ]
        )

    def _name_site(self, site: s3.IBucket) -> s3.IBucket:
        """Return the site's bucket by its names alone.

        The CDK would put the bucket's policy into the store stack: a circle of stacks.
        """
        return s3.Bucket.from_bucket_attributes(
            self,
            "Site",
            bucket_name=site.bucket_name,
            bucket_regional_domain_name=site.bucket_regional_domain_name,
        )

    def _web_acl(self, environment: Environment, firewall: FirewallStack | None) -> WebAcl | None:
        if not environment.web_acl:
            return None
        if firewall:
            return firewall.web_acl
        if environment.region != GLOBAL_REGION:
            raise ValueError(f"an edge in {environment.region} needs a firewall stack")
        return WebAcl(self, "WebAcl", environment=environment)

    def _keep_logs(self, scope: Construct, environment: Environment, bucket: s3.Bucket) -> None:
        allow_log_delivery(bucket, environment.account)
        template = bucket.node.default_child
        # By its L2 attributes, only a bucket that we name can be referred to in another region.
        assert isinstance(template, s3.CfnBucket)
        names = {
            "distribution_arn": self.distribution.distribution_arn,
            "bucket_arn": template.attr_arn,
        }
        if environment.region == GLOBAL_REGION:
            EdgeLogs(self, "EdgeLogs", environment=environment, **names)
            return
        EdgeLogsStack(scope, environment=environment, **names)

    def _let_distribution_read(self, site: s3.IBucket) -> None:
        """Add the site bucket's whole policy: this distribution may read it, over TLS only."""
        ours = {"StringEquals": {"AWS:SourceArn": self.distribution.distribution_arn}}
        # Without ListBucket an absent page would be 403; `/` and queries never reach S3.
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
