"""Lambdas of ours, all made alike: asset, role, log and environment."""

from collections.abc import Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from stacks.constructs.asset_contents import FUNCTION
from stacks.constructs.compiled_code import compiled_code
from stacks.constructs.kept_log import KeptLog
from stacks.constructs.lambda_layers import ARCHITECTURES, RUNTIME
from stacks.environments import Environment
from stacks.stage import REPOSITORY
from vitrine.settings.edge import AuthorizationSettings, InvalidateSettings, McpSettings
from vitrine.settings.ingest import IngestSettings
from vitrine.settings.photos import PhotoSettings
from vitrine.settings.present import (
    ApiSettings,
    PresentSettings,
    PublishSettings,
    SiteSettings,
    StatisticsSettings,
)

PIXEL_STEPS = frozenset({"convert_master", "verify_access_master", "answer_photo"})
"""The steps that import libvips; only their functions have its layer."""


@dataclass(frozen=True, kw_only=True)
class FunctionSize:
    """Size of a step. Lambda allows 128 to 10,240 MB, up to 900 s, 512 to 10,240 MB of disk."""

    memory_mebibytes: int = 512
    timeout_seconds: int = 60
    disk_mebibytes: int = 512
    at_once: int | None = None
    """Concurrency, reserved for this function; None: what the account has left."""

    def __post_init__(self) -> None:
        """Raise ValueError for a size that Lambda would only reject at deployment."""
        if not 128 <= self.memory_mebibytes <= 10_240:
            raise ValueError(f"memory must be 128 to 10,240 MB, not {self.memory_mebibytes}")
        if not 1 <= self.timeout_seconds <= 900:
            raise ValueError(f"a timeout must be 1 to 900 s, not {self.timeout_seconds}")
        if not 512 <= self.disk_mebibytes <= 10_240:
            raise ValueError(f"disk must be 512 to 10,240 MB, not {self.disk_mebibytes}")


def state_name(step: str) -> str:
    """Return the name of the state of a step's folder: `PublishImage` for `publish_image`."""
    return "".join(word.capitalize() for word in step.split("_"))


class PythonFunction(lambda_.Function):
    """`lambdas/<step>/handler.py` with the service next to it, in an asset that all share.

    Functions of one step that differ in size differ in `variant`; `state` is the name of the
    step's state.
    """

    def __init__(
        self,
        scope: Construct,
        step: str,
        *,
        environment: Environment,
        settings: IngestSettings
        | ApiSettings
        | PresentSettings
        | PublishSettings
        | SiteSettings
        | StatisticsSettings
        | InvalidateSettings
        | PhotoSettings
        | AuthorizationSettings
        | McpSettings,
        layers: Sequence[lambda_.ILayerVersion],
        size: FunctionSize,
        variant: str = "",
    ) -> None:
        self.step = step
        self.size = size
        self.state = name = state_name(f"{step}_{variant}")
        log = KeptLog(scope, f"{name}Log", environment=environment)
        role = iam.Role(
            scope, f"{name}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com")
        )
        log.grant_write(role)
        super().__init__(
            scope,
            name,
            runtime=RUNTIME,
            architecture=ARCHITECTURES[environment.architecture],
            handler=f"lambdas.{step}.handler.handler",
            code=compiled_code(REPOSITORY, "/var/task", exclude=FUNCTION),
            layers=list(layers),
            role=role,
            log_group=log,
            memory_size=size.memory_mebibytes,
            timeout=cdk.Duration.seconds(size.timeout_seconds),
            reserved_concurrent_executions=size.at_once,
            ephemeral_storage_size=cdk.Size.mebibytes(size.disk_mebibytes),
            tracing=lambda_.Tracing.ACTIVE,
            environment=settings.to_environment() | powertools(step, environment),
        )


def metrics_namespace(environment: Environment) -> str:
    """Return where CloudWatch has the metrics that Lambdas log: of two environments, apart."""
    return f"Vitrine/{environment.name}"


def powertools(step: str, environment: Environment) -> dict[str, str]:
    """Return the variables that powertools, which logs and counts, reads from its process."""
    return {
        "POWERTOOLS_SERVICE_NAME": step,
        "POWERTOOLS_METRICS_NAMESPACE": metrics_namespace(environment),
        "POWERTOOLS_LOG_LEVEL": environment.log_level,
    }
