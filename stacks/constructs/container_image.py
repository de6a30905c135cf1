"""An image of `containers/`: hashed at synth, built at deployment; a template needs no Docker."""

from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_ecr_assets as assets
from aws_cdk import aws_ecs as ecs
from constructs import Construct

from stacks.constructs.asset_contents import image_contents
from stacks.container_bases import ContainerBases
from stacks.environments import Environment
from stacks.stage import REPOSITORY

PLATFORMS = {"x86_64": assets.Platform.LINUX_AMD64, "arm64": assets.Platform.LINUX_ARM64}
ARCHITECTURES = {"x86_64": ecs.CpuArchitecture.X86_64, "arm64": ecs.CpuArchitecture.ARM64}


def container_image(
    scope: Construct, name: str, environment: Environment, context: Sequence[str] = ()
) -> ecs.ContainerImage:
    """Return the image of `containers/<name>/Dockerfile`.

    It is made from its own folder and `context`, lines of .gitignore: a change elsewhere does not
    rebuild it, but for one of `containers/bases.toml`, whose values are part of its name.
    """
    return ecs.ContainerImage.from_docker_image_asset(
        assets.DockerImageAsset(
            scope,
            f"{name}Image",
            directory=str(REPOSITORY),
            file=f"containers/{name}/Dockerfile",
            build_args=ContainerBases.read().build_arguments() or None,
            platform=PLATFORMS[environment.architecture],
            ignore_mode=cdk.IgnoreMode.GIT,
            exclude=image_contents(name, context),
        )
    )
