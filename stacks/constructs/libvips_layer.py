"""The Lambda layer that `layers/build.py` makes."""

from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from layers.build import inputs_digest, is_built, layer_directory
from stacks.environments import Architecture

ARCHITECTURES = {"x86_64": lambda_.Architecture.X86_64, "arm64": lambda_.Architecture.ARM_64}
RUNTIME = lambda_.Runtime.PYTHON_3_13


class LayerMissing(Exception):
    """The layer is not built, or from an older lock file."""


class LibvipsLayer(lambda_.LayerVersion):
    """libvips, pyvips and powertools. Each stack has its own of the same asset.

    A layer's ARN changes with every version, and an ARN that another stack imports cannot change.
    Its hash is that of its inputs, so templates do not differ by the machine that made them.
    """

    def __init__(self, scope: Construct, id_: str, *, architecture: Architecture) -> None:
        """Raises LayerMissing."""
        if not is_built(architecture):
            raise LayerMissing(
                f"the Lambda layer for {architecture} is not built: run `make layers`"
            )
        super().__init__(
            scope,
            id_,
            code=lambda_.Code.from_asset(
                str(layer_directory(architecture)), asset_hash=inputs_digest(architecture)
            ),
            compatible_architectures=[ARCHITECTURES[architecture]],
            compatible_runtimes=[RUNTIME],
            description="libvips, pyvips, powertools",
        )
