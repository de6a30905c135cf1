"""Roles that a service of AWS assumes for resources of our account, and of no other."""

from typing import TypedDict

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

FOR_OUR_ACCOUNT = {"StringEquals": {"aws:SourceAccount": cdk.Aws.ACCOUNT_ID}}
"""Condition on a service that names the account for which it acts.

Lambda, S3's replication and AWS Backup have it in no document of theirs about roles (November
2026), and a role that its service cannot assume stops everything: theirs go without."""


class TaskRoles(TypedDict):
    """The roles of a task definition: of its processes, and of what starts them."""

    task_role: iam.IRole
    execution_role: iam.IRole


def service_role(scope: Construct, id_: str, service: str) -> iam.Role:
    """Add a role for a service that names the account for which it acts, such as ecs-tasks."""
    trusted = iam.ServicePrincipal(f"{service}.amazonaws.com", conditions=FOR_OUR_ACCOUNT)
    return iam.Role(scope, id_, assumed_by=trusted)


def task_roles(scope: Construct, task: str) -> TaskRoles:
    """Add the roles of a task definition, as arguments of its constructor."""
    return TaskRoles(
        task_role=service_role(scope, f"{task}TaskRole", "ecs-tasks"),
        execution_role=service_role(scope, f"{task}ExecutionRole", "ecs-tasks"),
    )
