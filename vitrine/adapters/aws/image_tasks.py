"""The tasks of an ECS service."""

from typing import TYPE_CHECKING

from vitrine.adapters.aws.errors import translate_errors

if TYPE_CHECKING:
    from mypy_boto3_ecs import ECSClient


def count_tasks(client: "ECSClient", cluster: str, service: str) -> tuple[int, int]:
    """Return how many tasks of a service run, and how many should. Raises TransientError."""
    with translate_errors(service):
        answer = client.describe_services(cluster=cluster, services=[service])
    found = answer["services"]
    return sum(item["runningCount"] for item in found), sum(item["desiredCount"] for item in found)
