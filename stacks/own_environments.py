"""The environments that are deployed: the designs, with what `environments.toml` says of them."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from stacks.designs import ENVIRONMENTS, fit_new_account
from stacks.environments import Environment
from stacks.flavours import take_flavour
from vitrine.settings.environments_file import (
    BASED_ON,
    FILE,
    EnvironmentsFile,
    EnvironmentsUnusable,
)

NEW_ACCOUNT = "new_account"
"""Key of an environment whose account has the quotas of a new one; see `fit_new_account`."""
FLAVOUR = "flavour"
"""Key of the set of design values; see `stacks/flavours.py`."""


def own_environment(name: str, file: EnvironmentsFile) -> Environment:
    """Return the environment of this name. Raises EnvironmentsUnusable."""
    table = dict(file.table(name))
    base = table.pop(BASED_ON, name)
    if base not in ENVIRONMENTS:
        raise EnvironmentsUnusable(
            f'[{name}] in {FILE}: write based_on = "prod", or one of {", ".join(ENVIRONMENTS)}.'
        )
    new_account, flavour = table.pop(NEW_ACCOUNT, False), table.pop(FLAVOUR, None)
    try:
        design = (
            ENVIRONMENTS[base] if flavour is None else take_flavour(ENVIRONMENTS[base], flavour)
        )
        own = _changed(design, {**table, "name": name})
        return fit_new_account(own) if new_account else own
    except (TypeError, ValueError) as error:
        raise EnvironmentsUnusable(f"[{name}] in {FILE}: {error}") from None


def _changed(original: Any, values: Mapping[str, Any]) -> Any:
    """Return a dataclass with other values. Raises TypeError, ValueError."""
    return replace(original, **_checked(type(original), values, original))


def _checked(kind: type, values: Mapping[str, Any], original: Any = None) -> dict[str, Any]:
    hints = get_type_hints(kind)
    names = {item.name for item in fields(kind)}
    checked = {}
    for name, value in values.items():
        if name not in names:
            raise ValueError(f"there is no {name!r}; there are {', '.join(sorted(names))}.")
        checked[name] = _typed(name, hints[name], value, getattr(original, name, None))
    return checked


def _typed(name: str, hint: Any, value: Any, original: Any) -> Any:
    """Return a value of TOML as the type that a field has. Raises TypeError, ValueError."""
    if get_origin(hint) is Mapping and is_dataclass(get_args(hint)[1]):
        return _tables(name, get_args(hint)[1], value)
    structure = next((kind for kind in (hint, *get_args(hint)) if is_dataclass(kind)), None)
    if isinstance(structure, type) and isinstance(value, dict):
        if original is None:
            return structure(**_checked(structure, value))
        return _changed(original, value)
    if isinstance(value, list):
        value = tuple(value)
    if not _accepts(hint, value):
        raise ValueError(f"{name} cannot be {value!r}.")
    return value


def _tables(name: str, kind: type, value: Any) -> dict[str, Any]:
    """Return a table of tables as dataclasses by name. Raises TypeError, ValueError."""
    if not (isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())):
        raise ValueError(f"{name} cannot be {value!r}: it has a table for each name.")
    return {key: kind(**_checked(kind, one)) for key, one in value.items()}


def _accepts(hint: Any, value: Any) -> bool:
    """Return True if a field of the type `hint` can have this value."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return value in parts
    if origin in (Union, UnionType):
        return any(_accepts(part, value) for part in parts)
    if origin is tuple:
        return isinstance(value, tuple) and all(isinstance(item, parts[0]) for item in value)
    if origin is Mapping:
        return isinstance(value, dict)
    return type(value) is hint
