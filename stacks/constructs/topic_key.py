"""The key that encrypts what waits in our topics."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from constructs import Construct

from stacks.constructs.service_roles import FOR_OUR_ACCOUNT


class TopicKey(kms.Key):
    """A key of our own: CloudWatch cannot publish to a topic under the key that SNS has of AWS.

    Alarms may use it, and roles that it is granted to. EventBridge may not: a policy that names it
    would have to let in the rules of every account, since it carries no condition in the key's
    policy nor in the topic's (SNS, "Managing Amazon SNS encryption keys"; EventBridge, "Using
    resource-based policies"). Which alarms may publish, the topic's own policy says.
    """

    def __init__(self, scope: Construct, id_: str) -> None:
        super().__init__(
            scope,
            id_,
            description="Alarms and mails of Vitrine on their way through SNS",
            enable_key_rotation=True,
            # Nothing lasting is encrypted with it.
            removal_policy=RemovalPolicy.DESTROY,
        )
        self.add_to_resource_policy(
            iam.PolicyStatement(
                actions=["kms:Decrypt", "kms:GenerateDataKey*"],
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                resources=["*"],
                conditions=FOR_OUR_ACCOUNT,
            )
        )
