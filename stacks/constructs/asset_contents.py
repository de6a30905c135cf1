"""What of the repository an asset holds: lines of .gitignore, the first of which omits everything.

An asset's hash is that of the files it holds, so a change to any other file deploys nothing.
"""

from collections.abc import Sequence

SERVICE = ("!/vitrine", "/vitrine/cli", "/vitrine/local")
"""The service without its commands and its one-machine mode, which run from the repository."""

PRUNING = (
    *("!/layers", "/layers/*", "!/layers/contents.py"),
    *("!/layers/hollow_library.py", "!/layers/stripped_library.py"),
)
"""Files that remove from installed packages the parts that no process of ours calls."""

LOAD_TEST = (
    *("!/loadtest", "!/rigs", "/rigs/*", "!/rigs/__init__.py", "!/rigs/free_port.py"),
    *("!/vitrine", "/vitrine/*"),
    *(f"!/vitrine/{name}.py" for name in ("__init__", "errors", "records")),
    *("!/vitrine/adapters", "!/vitrine/bootstrap", "!/vitrine/iiif", "!/vitrine/ports"),
)
"""The load tests, and the parts of the service that a load generator imports."""

COMPILED = ("__pycache__", "*.pyc")
"""Never taken from a machine: they are of its Python, and of its last imports."""

FUNCTION = ("/*", *SERVICE, "!/lambdas", *COMPILED)
"""The one asset of all Lambdas: the service, and the folders of all steps.

A change to the service changes all Lambdas in any case, and uploads one file.
"""


def image_contents(container: str, context: Sequence[str]) -> list[str]:
    """Return the lines for the image of one container: its folder, what all share, `context`."""
    shared = "!/containers/prepare-apt"
    own = ("!/containers", "/containers/*", f"!/containers/{container}", shared)
    return ["/*", *own, *context, *COMPILED]


def step_code(step: str) -> tuple[str, ...]:
    """Return the lines for the code of one step of the pipeline."""
    return ("!/lambdas", "/lambdas/*", f"!/lambdas/{step}")


def requirements(container: str) -> tuple[str, ...]:
    """Return the lines for the locked requirements of one container."""
    return ("!/requirements", "/requirements/*", f"!/requirements/{container}.txt")
