"""Backup: daily backups of the table and the records, and of masters if the environment says so."""

import aws_cdk as cdk
from aws_cdk import aws_backup as backup
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from constructs import Construct

from stacks.constructs.removal import KEPT
from stacks.copies import Backup
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.stage import StageStack
from stacks.store import StoreStack

S3_POLICY = "AWSBackupServiceRolePolicyForS3Backup"
"""AWS keeps the rights that a backup of S3 needs, of its own rules and inventories too, in this
policy ("Amazon S3 backups", "Permissions and policies")."""


class BackupStack(StageStack):
    """A vault, a plan for each day, and what it backs up."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        kept: Backup,
        store: StoreStack,
        identify: IdentifyStack,
    ) -> None:
        super().__init__(scope, "backup", environment=environment, reads_weakly=True)
        days = cdk.Duration.days(kept.days)
        vault = backup.BackupVault(
            self,
            "Vault",
            # Governance: what may change the vault's lock can still lift it.
            lock_configuration=backup.LockConfiguration(min_retention=days),
            removal_policy=KEPT,
        )
        plan = backup.BackupPlan(self, "Plan", backup_vault=vault)
        plan.add_rule(
            backup.BackupPlanRule(
                rule_name="daily",
                schedule_expression=events.Schedule.cron(hour="3", minute="0"),
                delete_after=days,
            )
        )
        role = iam.Role(
            self,
            "Role",
            assumed_by=iam.ServicePrincipal("backup.amazonaws.com"),
            managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name(S3_POLICY)],
        )
        buckets = [store.records, *([store.masters] if kept.masters else [])]
        backup.BackupSelection(
            self,
            "Selection",
            backup_plan=plan,
            role=role,
            resources=[
                backup.BackupResource.from_arn(arn)
                for arn in (
                    identify.identifiers.table_arn,
                    *(bucket.bucket_arn for bucket in buckets),
                )
            ],
        )
        self.publish_outputs({"BackupVaultName": vault.backup_vault_name})
