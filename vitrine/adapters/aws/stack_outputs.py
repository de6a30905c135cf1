"""The outputs of a deployed CloudFormation stack."""

from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from vitrine.adapters.aws.errors import translate_errors

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient


def stack_outputs(client: "CloudFormationClient", stack: str) -> dict[str, str]:
    """Return outputs by name; empty if there is no such stack."""
    with translate_errors(stack):
        try:
            stacks = client.describe_stacks(StackName=stack)["Stacks"]
        except ClientError as error:
            # CloudFormation has no code of its own for a stack that does not exist.
            if error.response["Error"].get("Code") == "ValidationError":
                return {}
            raise
    outputs = stacks[0].get("Outputs", []) if stacks else []
    return {output["OutputKey"]: output["OutputValue"] for output in outputs}
