"""The Lambda layers that `layers/build.py` makes."""

from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from layers.build import (
    API,
    AUTHORIZATION,
    COLLECTIONS,
    DOCUMENTS,
    DOOR,
    LIBVIPS,
    MCP,
    POWERTOOLS,
    STATISTICS,
    inputs_digest,
    is_built,
    layer_directory,
)
from stacks.constructs.asset_contents import COMPILED
from stacks.constructs.compiled_code import compiled_code
from stacks.environment_values import Architecture

ARCHITECTURES = {"x86_64": lambda_.Architecture.X86_64, "arm64": lambda_.Architecture.ARM_64}
RUNTIME = lambda_.Runtime.PYTHON_3_13
CONTENTS = {
    POWERTOOLS: "powertools: logs and metrics",
    LIBVIPS: "libvips, pyvips, numpy, codecs of JPEG and JPEG 2000",
    DOCUMENTS: "Brotli, msgspec, jsonschema-rs, Jinja and Snowball",
    API: "Brotli, msgspec, jsonschema-rs, Jinja, Snowball, nh3 and PyJWT",
    COLLECTIONS: (
        "Brotli, msgspec, jsonschema-rs, Jinja, Snowball, nh3, PyJWT, lxml, jmespath and urllib3"
    ),
    DOOR: "msgspec, multipart, PyJWT, and Pillow's names of EXIF's tags",
    AUTHORIZATION: "cryptography, PyJWT, Jinja, msgspec and urllib3",
    STATISTICS: "msgspec, and COUNTER's lists of robots",
    MCP: "the Model Context Protocol's SDK, httpx2, msgspec, pydantic and Starlette",
}


class LayerMissing(Exception):
    """A layer is not built, or was built from older inputs."""


class _BuiltLayer(lambda_.LayerVersion):
    """A layer of `.build/layers`. Each stack has its own of the same asset.

    A layer's ARN changes with every version, and an ARN that another stack imports cannot change.
    Its hash is that of its inputs, so templates do not differ by the machine that made them.
    """

    def __init__(self, scope: Construct, id_: str, name: str, architecture: Architecture) -> None:
        if not is_built(name, architecture):
            raise LayerMissing(
                f"The Lambda layer {name} for {architecture} is not built: "
                f"run `make layers ARCHITECTURE={architecture}`"
            )
        super().__init__(
            scope,
            id_,
            code=compiled_code(
                layer_directory(name, architecture),
                "/opt",
                exclude=COMPILED,
                asset_hash=inputs_digest(name, architecture),
            ),
            compatible_architectures=[ARCHITECTURES[architecture]],
            compatible_runtimes=[RUNTIME],
            description=CONTENTS[name],
        )


class PowertoolsLayer(_BuiltLayer):
    """What every Lambda of ours imports."""

    def __init__(self, scope: Construct, id_: str, *, architecture: Architecture) -> None:
        """Raises LayerMissing."""
        super().__init__(scope, id_, POWERTOOLS, architecture)


class LibvipsLayer(_BuiltLayer):
    """What the Lambdas import that touch pixels."""

    def __init__(self, scope: Construct, id_: str, *, architecture: Architecture) -> None:
        """Raises LayerMissing."""
        super().__init__(scope, id_, LIBVIPS, architecture)


class DocumentsLayer(_BuiltLayer):
    """What the Lambda imports that publishes objects."""

    def __init__(self, scope: Construct, id_: str, *, architecture: Architecture) -> None:
        """Raises LayerMissing."""
        super().__init__(scope, id_, DOCUMENTS, architecture)


class ApiLayer(_BuiltLayer):
    """What the Lambda of the API imports."""

    def __init__(self, scope: Construct, id_: str, *, architecture: Architecture) -> None:
        """Raises LayerMissing."""
        super().__init__(scope, id_, API, architecture)


class CollectionsLayer(_BuiltLayer):
    """What the Lambda imports that harvests collections."""

    def __init__(self, scope: Construct, id_: str, *, architecture: Architecture) -> None:
        """Raises LayerMissing."""
        super().__init__(scope, id_, COLLECTIONS, architecture)


class DoorLayer(_BuiltLayer):
    """What the Lambda of the photo door imports, next to libvips."""

    def __init__(self, scope: Construct, id_: str, *, architecture: Architecture) -> None:
        """Raises LayerMissing."""
        super().__init__(scope, id_, DOOR, architecture)


class AuthorizationLayer(_BuiltLayer):
    """What the Lambda imports that lets people in to restricted images."""

    def __init__(self, scope: Construct, id_: str, *, architecture: Architecture) -> None:
        """Raises LayerMissing."""
        super().__init__(scope, id_, AUTHORIZATION, architecture)


class StatisticsLayer(_BuiltLayer):
    """What the Lambda imports that counts visits."""

    def __init__(self, scope: Construct, id_: str, *, architecture: Architecture) -> None:
        """Raises LayerMissing."""
        super().__init__(scope, id_, STATISTICS, architecture)


class McpLayer(_BuiltLayer):
    """What the Lambda imports that answers programs which speak MCP."""

    def __init__(self, scope: Construct, id_: str, *, architecture: Architecture) -> None:
        """Raises LayerMissing."""
        super().__init__(scope, id_, MCP, architecture)
