"""What ministack does unlike AWS where we depend on it: one function mends one difference.

Each docstring says what the function makes ministack do and then, so that it can be reported
upstream, what ministack does and where, what AWS does and which documentation says so, and how
the difference shows here. In `tests/integration/local`, each patch has a test of AWS's behaviour
with it and a test `test_still_needed_<patch>` without it, which fails once a newer ministack
behaves like AWS; then the patch can go.

`emulator_launch.py` loads this package in the emulator's process, whose Python has no `vitrine`:
its modules import each other relatively, and nothing else of ours.
"""

from collections.abc import Callable
from importlib.metadata import version

from . import (
    access_patches,
    function_patches,
    lambda_patches,
    layer_patches,
    storage_patches,
    task_patches,
    template_patches,
)
from .recorded_calls import record_calls

PINNED = "1.5.33"


def patches(parallel_tasks: int) -> dict[str, Callable[[], None]]:
    """Return all patches by name, in the order in which they are applied."""
    return {
        **lambda_patches.patches(parallel_tasks),
        **layer_patches.patches(),
        **storage_patches.patches(),
        **template_patches.patches(),
        **task_patches.patches(parallel_tasks),
        **access_patches.patches(),
        **function_patches.patches(parallel_tasks),
    }


def apply(parallel_tasks: int, without: frozenset[str] = frozenset()) -> None:
    """Apply every patch but those in `without`.

    `parallel_tasks` is the limit for each Lambda function, and for tasks of ECS. Raises
    RuntimeError for another version of ministack.
    """
    installed = version("ministack")
    if installed != PINNED:
        raise RuntimeError(f"the patches are written for ministack {PINNED}, this is {installed}")
    for name, patch in patches(parallel_tasks).items():
        if name not in without:
            patch()
    record_calls()
