"""The flavours: named sets of design values, for institutions of different sizes.

An environment takes one with `flavour = "museum"` in `environments.toml`. Its other values there
win over it; `docs/howto/choose-a-flavour.md` says which one fits whom.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from stacks.designs import PROD
from stacks.environment_checks import LAMBDA_MEGAPIXELS
from stacks.environments import Environment
from stacks.sizes import ImageFunctionSize, ImageTaskSize, PhotoFunctionSize


@dataclass(frozen=True, kw_only=True)
class Flavour:
    """Values of fields of `Environment`, a mapping for those of a stage's options.

    The other fields stay as the environment has them.
    """

    who: str
    """Institution that should take it."""
    values: Mapping[str, Any]


FLAVOURS: Mapping[str, Flavour] = {
    "serverless": Flavour(
        who="who has few visitors: a Lambda that costs nothing while nobody comes",
        values={
            "architecture": "arm64",
            "image_function": ImageFunctionSize(
                memory_mebibytes=1769, disk_mebibytes=2048, at_once=100
            ),
            "photo_function": PhotoFunctionSize(),
            # A Fargate task is in a network, and its endpoints cost money by the hour.
            "giant_converter": None,
            "ingest": {"maximum_megapixels": LAMBDA_MEGAPIXELS},
            "web_acl": False,
            "edge_metrics": False,
            "dashboard": False,
            "monthly_budget_dollars": 20,
        },
    ),
    "museum": Flavour(
        who="a museum or archive: one small task, a second one when it is busy",
        values={
            "architecture": "arm64",
            "image_function": None,
            "monthly_budget_dollars": 200,
            "image_task": ImageTaskSize(
                cpu_units=512, memory_mebibytes=2048, disk_gibibytes=20, minimum=1, maximum=2
            ),
            "endpoint_zones": 1,
        },
    ),
    "portal": Flavour(
        who="a portal or a national museum: two tasks in two zones, up to twelve",
        values={
            "architecture": PROD.architecture,
            "image_function": None,
            "image_task": PROD.image_task,
            "monthly_budget_dollars": PROD.monthly_budget_dollars,
            "endpoint_zones": PROD.endpoint_zones,
        },
    ),
}
"""Flavours by name, the smallest first. `portal` is what the design `prod` comes with."""


def take_flavour(environment: Environment, name: str) -> Environment:
    """Return the environment with the values of a flavour. Raises ValueError: unknown name."""
    if name not in FLAVOURS:
        raise ValueError(f"flavour must be one of {', '.join(FLAVOURS)}, not {name!r}.")
    changes = {
        field: replace(getattr(environment, field), **value)
        if isinstance(value, Mapping)
        else value
        for field, value in FLAVOURS[name].values.items()
    }
    return replace(environment, **changes)
