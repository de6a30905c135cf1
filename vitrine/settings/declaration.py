"""How a setting is declared, checked, written to and read from the environment."""

from collections.abc import Collection, Mapping
from dataclasses import MISSING, field, fields
from typing import Any, Self

PREFIX = "VITRINE_"
DAY = 86_400


def setting(
    doc: str,
    default: Any = MISSING,
    *,
    least: int | None = None,
    most: int | None = None,
    choices: Collection[str] = (),
    derived_from: str = "",
    wiring: bool = False,
) -> Any:
    """Declare a field of a settings class, with its documentation and the values that it takes.

    `derived_from` names attributes of the environment, separated by commas; `wiring` marks what
    no operator sets.
    """
    metadata = {
        "doc": doc,
        "least": least,
        "most": most,
        "choices": choices,
        "derived_from": derived_from,
        "wiring": wiring,
    }
    return field(default=default, metadata=metadata)


class Settings:
    """Reads and writes a frozen dataclass of str and int fields as environment variables."""

    def __post_init__(self) -> None:
        """Raise ValueError, with a sentence, for a value that no process can work with."""
        for item in fields(self):  # type: ignore[arg-type]
            _check(item.name, getattr(self, item.name), item.metadata)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Read the settings from environment variables.

        Raises KeyError, which names a required variable that is absent, and ValueError for a value
        that a setting cannot have.
        """
        values: dict[str, Any] = {}
        for item in fields(cls):  # type: ignore[arg-type]
            variable = variable_name(item.name)
            if variable in environment:
                values[item.name] = _parse(variable, item.type, environment[variable])
            elif item.default is MISSING:
                raise KeyError(f"the setting {variable} is required: {item.metadata['doc']}")
        return cls(**values)

    def to_environment(self) -> dict[str, str]:
        """Return the variables that `from_environment` reads back."""
        return {
            variable_name(item.name): str(getattr(self, item.name))
            for item in fields(self)  # type: ignore[arg-type]
        }


def variable_name(name: str) -> str:
    """Return the environment variable of the setting with this name."""
    return PREFIX + name.upper()


def _parse(variable: str, type_: Any, text: str) -> Any:
    try:
        return type_(text)
    except ValueError:
        raise ValueError(f"{variable} must be of type {type_.__name__}, not {text!r}") from None


def _check(name: str, value: Any, rules: Mapping[str, Any]) -> None:
    least, most, choices = rules["least"], rules["most"], rules["choices"]
    if choices and value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    if least is not None and value < least:
        raise ValueError(f"{name} must be at least {least:,}, not {value:,}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most:,}, not {value:,}")
