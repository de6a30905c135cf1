"""Delivery: the two roles with which GitHub's workflow deploys an environment, without a key.

`npx cdk deploy -c environment=prod vitrine-prod-delivery`, the first time by a person; the
environment says `github_repository`. `.github/workflows/deploy.yml` assumes the roles.
"""

from aws_cdk import aws_iam as iam
from constructs import Construct

from stacks.environments import Environment
from stacks.stage import StageStack

ISSUER = "token.actions.githubusercontent.com"
AUDIENCE = "sts.amazonaws.com"
BRANCH = "refs/heads/main"
QUALIFIER = "hnb659fds"
"""Qualifier of the CDK's bootstrap roles, unless one chose another."""


class DeliveryStack(StageStack):
    """A role that looks, for any run on the main branch, and one that deploys, once approved.

    GitHub's token names an environment of the repository only if a job belongs to it, and such a
    job runs only once the reviewers of that environment have approved it.
    """

    def __init__(self, scope: Construct, *, environment: Environment, repository: str) -> None:
        super().__init__(scope, "delivery", environment=environment)
        existing = environment.github_provider_arn
        provider = (
            existing
            or iam.OidcProviderNative(
                self, "GitHub", url=f"https://{ISSUER}", client_ids=[AUDIENCE]
            ).oidc_provider_arn
        )
        diff = self._make_role("Diff", provider, f"repo:{repository}:ref:{BRANCH}", ("lookup",))
        deploy = self._make_role(
            "Deploy",
            provider,
            f"repo:{repository}:environment:{environment.name}",
            ("deploy", "file-publishing", "image-publishing", "lookup"),
        )
        self.publish_outputs({"DiffRoleArn": diff.role_arn, "DeployRoleArn": deploy.role_arn})

    def _make_role(
        self, name: str, provider: str, subject: str, assumed: tuple[str, ...]
    ) -> iam.Role:
        """Return a role of one subject of GitHub's, which only goes on to the bootstrap's roles."""
        role = iam.Role(
            self,
            name,
            assumed_by=iam.WebIdentityPrincipal(
                provider,
                {"StringEquals": {f"{ISSUER}:aud": AUDIENCE, f"{ISSUER}:sub": subject}},
            ),
        )
        account = self.account
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["sts:AssumeRole"],
                resources=[
                    f"arn:{self.partition}:iam::{account}:role/cdk-{QUALIFIER}-{kind}-role-{account}-*"
                    for kind in assumed
                ],
            )
        )
        return role
