"""The Lambda that reads pages by OCR: Tesseract, in a container image of Debian."""

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from stacks.constructs.asset_contents import (
    PRUNING,
    SERVICE,
    image_contents,
    requirements,
    step_code,
)
from stacks.constructs.container_image import PLATFORMS
from stacks.constructs.kept_log import KeptLog
from stacks.constructs.lambda_layers import ARCHITECTURES
from stacks.constructs.python_function import FunctionSize, powertools, state_name
from stacks.container_bases import ContainerBases
from stacks.environments import Environment
from stacks.stage import REPOSITORY
from vitrine.settings.present import OcrSettings

CONTAINER = "ocr"
STEP = "read_pages"
COMMAND = ["python3", "-m", f"lambdas.{STEP}.runtime"]
CONTEXT = (*SERVICE, *step_code(STEP), *requirements(CONTAINER), *PRUNING)
TIMEOUT_SECONDS = 900
DISK_MEBIBYTES = 2_048
"""An access master of 1 GiB, one level of it, and the text."""
NO_ALGEBRA_THREADS = {"OPENBLAS_NUM_THREADS": "1", "VIPS_CONCURRENCY": "1"}


class OcrFunction(lambda_.DockerImageFunction):
    """It takes an object at a time from a queue, and reads its pages one after the other."""

    def __init__(
        self, scope: Construct, *, environment: Environment, settings: OcrSettings
    ) -> None:
        self.step = STEP
        self.state = name = state_name(STEP)
        self.size = FunctionSize(
            memory_mebibytes=settings.memory_mebibytes,
            timeout_seconds=TIMEOUT_SECONDS,
            disk_mebibytes=DISK_MEBIBYTES,
        )
        log = KeptLog(scope, f"{name}Log", environment=environment)
        role = iam.Role(
            scope, f"{name}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com")
        )
        log.grant_write(role)
        languages = {"LANGUAGES": settings.languages.replace("+", " ")}
        super().__init__(
            scope,
            name,
            code=lambda_.DockerImageCode.from_image_asset(
                str(REPOSITORY),
                file=f"containers/{CONTAINER}/Dockerfile",
                build_args=ContainerBases.read().build_arguments() | languages,
                platform=PLATFORMS[environment.architecture],
                ignore_mode=cdk.IgnoreMode.GIT,
                exclude=image_contents(CONTAINER, CONTEXT),
                cmd=COMMAND,
            ),
            architecture=ARCHITECTURES[environment.architecture],
            role=role,
            log_group=log,
            memory_size=self.size.memory_mebibytes,
            ephemeral_storage_size=cdk.Size.mebibytes(self.size.disk_mebibytes),
            timeout=cdk.Duration.seconds(self.size.timeout_seconds),
            tracing=lambda_.Tracing.ACTIVE,
            environment=settings.to_environment()
            | powertools(STEP, environment)
            | NO_ALGEBRA_THREADS,
        )
