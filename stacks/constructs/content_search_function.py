"""The Lambda that answers searches inside objects, behind its own URL."""

import aws_cdk as cdk
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.lambda_layers import DocumentsLayer, PowertoolsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.environments import Environment
from vitrine.settings.present import SiteSettings
from vitrine.store.layout import INSIDE, PUBLICATIONS

INSIDE_SEARCHER = "search_content"
SIZE = FunctionSize(memory_mebibytes=1_769)
"""One vCPU: positions and texts are unpacked while somebody waits."""
READ_SECONDS = 60
"""As long as it may take, the most that CloudFront waits without being asked to raise a quota."""


class ContentSearchFunction(PythonFunction):
    """A function URL that only the distribution may invoke; it reads what is published."""

    def __init__(self, scope: Construct, *, environment: Environment, site: s3.IBucket) -> None:
        architecture = environment.architecture
        super().__init__(
            scope,
            INSIDE_SEARCHER,
            environment=environment,
            settings=SiteSettings(
                site_bucket=site.bucket_name, public_base_url=environment.public_base_url
            ),
            layers=[
                PowertoolsLayer(scope, "ContentSearchPowertools", architecture=architecture),
                DocumentsLayer(scope, "ContentSearchDocuments", architecture=architecture),
            ],
            size=SIZE,
        )
        for keys in (PUBLICATIONS, INSIDE):
            grants.read_objects(site, self, f"{keys}*")
        self.url = self.add_function_url(auth_type=lambda_.FunctionUrlAuthType.AWS_IAM)

    def origin(self) -> cloudfront.IOrigin:
        """Return it as an origin, which lets the distribution, and nobody else, invoke it."""
        return origins.FunctionUrlOrigin.with_origin_access_control(
            self.url, read_timeout=cdk.Duration.seconds(READ_SECONDS)
        )
